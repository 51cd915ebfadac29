-- What attribution looks up, in the order in which it does, in granules and compressed blocks so small that a look-up reads
-- little that it does not need. Written by attribution alone: each run first copies here what the sink has stored since the last one.
-- Copying again changes nothing, because equal rows become one. A materialized view would not do: when the server dies
-- between the parts of an insert, the sink finds its rows stored and does not insert them again.

-- Valid impressions and clicks by person; those voided later are among them.
CREATE TABLE IF NOT EXISTS touches (
  _partition Int32, _offset Int64,
  shopId String, cid String, eventId String, type LowCardinality(String), occurredAt Int64,
  kind LowCardinality(String), campaignId String, accountId String, adId String, itemGroupId Nullable(String),
  slotHash String, adUnitId String, algorithm LowCardinality(String), country LowCardinality(Nullable(String)),
  personKey UInt32 MATERIALIZED murmurHash3_32(shopId, cid)
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(occurredAt, 'UTC'))
PRIMARY KEY (personKey, occurredAt)
ORDER BY (personKey, occurredAt, _partition, _offset)
SETTINGS index_granularity = 128, min_compress_block_size = 8192, fsync_after_insert = 1, fsync_part_directory = 1;

-- Transactions that are not imported, by person.
CREATE TABLE IF NOT EXISTS transactions_by_person (
  _partition Int32, _offset Int64,
  shopId String, cid String, kind LowCardinality(String), eventId String, occurredAt Int64,
  personKey UInt32 MATERIALIZED murmurHash3_32(shopId, cid)
) ENGINE = ReplacingMergeTree
PRIMARY KEY (personKey, occurredAt)
ORDER BY (personKey, occurredAt, _partition, _offset)
SETTINGS index_granularity = 128, min_compress_block_size = 8192, fsync_after_insert = 1, fsync_part_directory = 1;

-- All versions of each transaction, by its id.
CREATE TABLE IF NOT EXISTS transactions_by_id (
  _partition Int32, _offset Int64,
  eventId String, kind LowCardinality(String), shopId String, cid String, uid Nullable(String),
  currency LowCardinality(String), occurredAt Int64, receivedAt Int64, imported Bool, proof LowCardinality(String),
  lines Array(Tuple(shopProductId String, priceMicros Int64, quantity Int64,
    productTitle Nullable(String), brand Nullable(String), sellerId Nullable(String))),
  idKey UInt32 MATERIALIZED murmurHash3_32(shopId, eventId)
) ENGINE = ReplacingMergeTree
PRIMARY KEY idKey
ORDER BY (idKey, _partition, _offset)
SETTINGS index_granularity = 128, min_compress_block_size = 8192, fsync_after_insert = 1, fsync_part_directory = 1;

-- Each pair of cid and uid seen on any event of a shop, verdicts and imports aside, with the times at which the intake first
-- received one, and first received one whose sender proved itself (9007199254740991: none yet). `version` is of the run that
-- last made one of them earlier. Read by min(). The same pairs once by cid and once by uid.
CREATE TABLE IF NOT EXISTS links_by_cid (
  shopId String, cid String, uid String,
  seenAt SimpleAggregateFunction(min, Int64), provenAt SimpleAggregateFunction(min, Int64),
  version SimpleAggregateFunction(max, Int64),
  cidKey UInt32 MATERIALIZED murmurHash3_32(shopId, cid),
  INDEX by_version version TYPE minmax GRANULARITY 1
) ENGINE = AggregatingMergeTree
PRIMARY KEY cidKey
ORDER BY (cidKey, shopId, cid, uid)
SETTINGS index_granularity = 64, min_compress_block_size = 4096, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS links_by_uid (
  shopId String, cid String, uid String,
  seenAt SimpleAggregateFunction(min, Int64), provenAt SimpleAggregateFunction(min, Int64),
  version SimpleAggregateFunction(max, Int64),
  uidKey UInt32 MATERIALIZED murmurHash3_32(shopId, uid)
) ENGINE = AggregatingMergeTree
PRIMARY KEY uidKey
ORDER BY (uidKey, shopId, uid, cid)
SETTINGS index_granularity = 64, min_compress_block_size = 4096, fsync_after_insert = 1, fsync_part_directory = 1;
-- What came before them. The table stays for processes of the version before, which look into it.
TRUNCATE TABLE IF EXISTS person_links;
