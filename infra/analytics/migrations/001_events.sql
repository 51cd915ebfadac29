-- One row per record of the log; columns are the record's fields (schemas/records) plus where it lies.
-- …At columns are UTC epoch milliseconds, …Micros are millionths of the shop's currency.
-- count() = uniqExact(_topic, _partition, _offset) holds for every table here: the audit that anyone can run.
--
-- Settings they share: an insert is on disk when it returns (fsync…), because the sink then tells the log that it need not
-- send these rows again. What stores each row once are the sink's fences (docs/exactly-once.md); the deduplication window
-- serves inserts by token, which the sink made before there were fences.
-- by_offset finds what the sink stored last, by_cid and by_uid a person, by_request an emission, in a table sorted by time.

CREATE TABLE IF NOT EXISTS emissions (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  requestId String, shopId String, kind LowCardinality(String),
  cid String, uid Nullable(String),
  occurredAt Int64 CODEC(DoubleDelta, ZSTD), country LowCardinality(Nullable(String)),
  elapsedMicros Int64,
  slots Array(Tuple(
    slotHash String, adUnitId String, algorithm String, candidates Int32, shortfall Nullable(String),
    ads Array(Tuple(campaignId String, adId String, itemGroupId Nullable(String), position Int32, relevance Float64,
      predictedClickRate Float64, bidMicros Int64, priceMicros Int64, autoPromo Bool)),
    dropped Array(Tuple(campaignId String, adId String, relevance Float64, bidMicros Int64, reason String)))),
  INDEX by_offset (_partition, _offset) TYPE minmax GRANULARITY 1,
  INDEX by_request requestId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = MergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(occurredAt, 'UTC'))
ORDER BY (shopId, occurredAt, requestId)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS judged_events (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  sourcePartition Int32, sourceOffset Int64,
  eventId String, type LowCardinality(String), verdict LowCardinality(String), billedMicros Int64,
  cid String, uid Nullable(String),
  occurredAt Int64 CODEC(DoubleDelta, ZSTD), receivedAt Int64 CODEC(DoubleDelta, ZSTD), bot Bool,
  -- The claims of the showId, flattened.
  kind LowCardinality(String), requestId String, shopId String, slotHash String, adUnitId String,
  campaignId String, accountId String, adId String, itemGroupId Nullable(String),
  emittedCid String, emittedUid Nullable(String),
  algorithm LowCardinality(String), position Int32, priceMicros Int64, currency LowCardinality(String),
  autoPromo Bool, country LowCardinality(Nullable(String)), emittedAt Int64 CODEC(DoubleDelta, ZSTD),
  INDEX by_offset (_partition, _offset) TYPE minmax GRANULARITY 1,
  INDEX by_cid cid TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_campaign campaignId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = MergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(occurredAt, 'UTC'))
ORDER BY (shopId, occurredAt, eventId)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS transactions (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  eventId String, kind LowCardinality(String), shopId String, cid String, uid Nullable(String),
  currency LowCardinality(String), locale Nullable(String),
  occurredAt Int64 CODEC(DoubleDelta, ZSTD), receivedAt Int64 CODEC(DoubleDelta, ZSTD), imported Bool,
  lines Array(Tuple(shopProductId String, priceMicros Int64, quantity Int64,
    productTitle Nullable(String), brand Nullable(String), sellerId Nullable(String))),
  INDEX by_offset (_partition, _offset) TYPE minmax GRANULARITY 1,
  INDEX by_cid cid TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_event eventId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = MergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(occurredAt, 'UTC'))
ORDER BY (shopId, occurredAt, eventId)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS page_views (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  id String, shopId String, cid String, uid Nullable(String), referer String, shopProductId Nullable(String),
  gclid Nullable(String), utmSource Nullable(String), utmMedium Nullable(String), utmCampaign Nullable(String),
  occurredAt Int64 CODEC(DoubleDelta, ZSTD), receivedAt Int64 CODEC(DoubleDelta, ZSTD),
  INDEX by_offset (_partition, _offset) TYPE minmax GRANULARITY 1
) ENGINE = MergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(occurredAt, 'UTC'))
ORDER BY (shopId, occurredAt, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS feed_issues (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  feedId String, runId String, shopId String, severity LowCardinality(String), line Int64,
  productId Nullable(String), field LowCardinality(String), code LowCardinality(String), message String,
  foundAt Int64
) ENGINE = MergeTree
ORDER BY (feedId, runId, line, _offset)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;
