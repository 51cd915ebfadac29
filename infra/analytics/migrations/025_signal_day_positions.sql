-- Up to where the rows of the sink are counted in signal_days, to the row. Versions that counted a day whole keep signal_positions, which
-- does not say that: what they have counted is counted anew, also where one of them goes on while others have been replaced.
CREATE TABLE IF NOT EXISTS signal_day_positions (
  topic String, partition Int32, offset Int64
) ENGINE = ReplacingMergeTree(offset)
ORDER BY (topic, partition)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
