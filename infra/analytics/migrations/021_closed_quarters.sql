-- How many rows each quarter of an hour of `emissions` had when its month was closed: what its counts in report_counts are made of, once
-- the rows themselves are dropped (infra/analytics/retention/closed-months.ts). A quarter that is written again keeps the greater
-- number: who finds fewer rows has come while they were dropped.
CREATE TABLE IF NOT EXISTS report_closed_quarters (
  shopId String, quarter Int64, storedRows Int64
) ENGINE = ReplacingMergeTree(storedRows)
ORDER BY (shopId, quarter)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
