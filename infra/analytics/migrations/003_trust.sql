-- Written by attribution alone, like `attributed_lines`.

-- Each pair of cid and uid seen on any event of a shop, verdicts and imports aside, with the times at which the intake first
-- received one, and first received one whose sender proved itself (9007199254740991: none yet). `version` is of the run that
-- last made one of them earlier. Read with FINAL or by min().
CREATE TABLE IF NOT EXISTS person_links (
  shopId String, cid String, uid String,
  seenAt SimpleAggregateFunction(min, Int64), provenAt SimpleAggregateFunction(min, Int64),
  version SimpleAggregateFunction(max, Int64),
  INDEX by_uid uid TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_version version TYPE minmax GRANULARITY 1
) ENGINE = AggregatingMergeTree
ORDER BY (shopId, cid, uid);
-- What came before it. The table stays for processes of the version before, which look into it.
TRUNCATE TABLE IF EXISTS identity_links;

-- Of the version of the transaction that counts: who sent it, when it came, and what the shop's transactionTrust was then.
ALTER TABLE attributed_lines ADD COLUMN IF NOT EXISTS proof LowCardinality(String) DEFAULT 'ANONYMOUS' AFTER itemGroups;
ALTER TABLE attributed_lines ADD COLUMN IF NOT EXISTS receivedAt Int64 DEFAULT 0 AFTER itemGroups;
ALTER TABLE attributed_lines ADD COLUMN IF NOT EXISTS trust LowCardinality(String) DEFAULT 'OPEN' AFTER itemGroups;
