-- One row: the name of this store, which the sink writes into its commits (storeIdentity in infra/analytics/migrate.ts).
CREATE TABLE IF NOT EXISTS store_identity (
  id String
) ENGINE = MergeTree
ORDER BY id
SETTINGS non_replicated_deduplication_window = 100, fsync_after_insert = 1, fsync_part_directory = 1;
