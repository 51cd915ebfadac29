-- Rows of a table from before `until` (UTC epoch milliseconds) may be gone, because they were kept for less time once than its TTL says
-- now. What a table keeps now is told by its definition (infra/analytics/retention).
CREATE TABLE IF NOT EXISTS forgotten_rows (
  tableName LowCardinality(String), until Int64
) ENGINE = ReplacingMergeTree(until)
ORDER BY tableName
SETTINGS non_replicated_deduplication_window = 100, fsync_after_insert = 1, fsync_part_directory = 1;
