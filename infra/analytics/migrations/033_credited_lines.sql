-- The credited lines of `attributed_lines` in the order of time, for reports: those read a span of time, and FINAL there would look at
-- every line of the shop. Attribution writes both. Read with FINAL, which hides deleted rows: lines that are not credited, or not at this
-- time any more.
CREATE TABLE IF NOT EXISTS credited_lines (
  shopId String, occurredAt Int64, kind LowCardinality(String), eventId String, line UInt32,
  match LowCardinality(String), campaignId String, accountId String, adId String, adUnitId String,
  algorithm LowCardinality(String), country LowCardinality(Nullable(String)), currency LowCardinality(String),
  priceMicros Int64, returnedMicros Int64,
  version Int64, deleted UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (shopId, occurredAt, kind, eventId, line)
SETTINGS auto_statistics_types = '', ratio_of_defaults_for_sparse_serialization = 1;

INSERT INTO credited_lines (shopId, occurredAt, kind, eventId, line, match, campaignId, accountId, adId, adUnitId, algorithm, country,
  currency, priceMicros, returnedMicros, version, deleted)
SELECT shopId, occurredAt, kind, eventId, line, match, campaignId, accountId, adId, adUnitId, algorithm, country, currency, priceMicros,
  returnedMicros, version, deleted
FROM attributed_lines FINAL WHERE outcome = 'CREDITED';
