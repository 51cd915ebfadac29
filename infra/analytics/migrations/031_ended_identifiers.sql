-- Rows of events from before `until` (UTC epoch milliseconds; the greatest holds) name nobody any more, or are about to be changed so
-- (infra/analytics/retention/ended-identifiers.ts).
CREATE TABLE IF NOT EXISTS ended_identifiers (
  until Int64
) ENGINE = ReplacingMergeTree(until)
ORDER BY tuple()
SETTINGS non_replicated_deduplication_window = 100, fsync_after_insert = 1, fsync_part_directory = 1;
