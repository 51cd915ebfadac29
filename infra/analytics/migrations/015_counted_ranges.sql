-- What the audit has counted of the log and of the tables for offsets from before the sink counted for itself: written once,
-- range after range (infra/analytics/audit/earlier-ranges.ts). Empty where the sink has counted from the start.
CREATE TABLE IF NOT EXISTS counted_ranges (
  topic LowCardinality(String), partition Int32, fromOffset Int64, toOffset Int64,
  -- Records of the log; those that have a row; rows; dead letters.
  records Int64, stored Int64, tableRows Int64, dead Int64
) ENGINE = ReplacingMergeTree
ORDER BY (topic, partition, fromOffset)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- By it a check of a range of ad-events finds their judgements.
ALTER TABLE judged_events ADD INDEX IF NOT EXISTS by_source (sourcePartition, sourceOffset) TYPE minmax GRANULARITY 1;
