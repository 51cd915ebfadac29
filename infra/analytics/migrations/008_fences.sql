-- Which epochs of a scope (a partition of the log) may still store: none below the highest here. Every fenced insert on a
-- server asks it (infra/analytics/clickhouse/fences.ts, docs/exactly-once.md). It is no projection: a rebuild leaves it.
CREATE TABLE IF NOT EXISTS fences (
  scope String, epoch Int64
) ENGINE = ReplacingMergeTree(epoch)
ORDER BY scope
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
