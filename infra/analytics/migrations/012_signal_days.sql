-- What happened to each product of a shop on each UTC day (epoch days), of which signals make popularity. Written by signals alone:
-- a day is counted anew when rows of it have come, under a higher version; a product that has none any more gets zeros.
CREATE TABLE IF NOT EXISTS signal_days (
  shopId String, day Int32, id String, purchases Int64, clicks Int64, views Int64, version Int64
) ENGINE = ReplacingMergeTree(version)
PARTITION BY intDiv(day, 30)
ORDER BY (shopId, day, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Up to where the rows of the sink are counted in signal_days.
CREATE TABLE IF NOT EXISTS signal_positions (
  topic String, partition Int32, offset Int64
) ENGINE = ReplacingMergeTree(offset)
ORDER BY (topic, partition)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
