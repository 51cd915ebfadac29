-- What attribution needs to know besides events, kept by the sink from the `registry` and `item-groups` topics.

-- Every version of a campaign: the attribution list in force at a purchase is that of the last version before it.
CREATE TABLE IF NOT EXISTS campaign_versions (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  campaignId String, version Int64, shopId String, accountId String, updatedAt Int64,
  attributionProductIds Array(String)
) ENGINE = ReplacingMergeTree(_offset)
ORDER BY (campaignId, version)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- The windows of each shop; the highest version holds, for past purchases too.
CREATE TABLE IF NOT EXISTS shop_versions (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  shopId String, version Int64, updatedAt Int64, clickWindowHours Int32, viewWindowHours Int32
) ENGINE = ReplacingMergeTree(_offset)
ORDER BY (shopId, version)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Item group that each offer was last given, also when it is gone; the highest offset holds (an offer stays in its partition).
CREATE TABLE IF NOT EXISTS product_groups (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  shopId String, feedId String, id String, itemGroupId Nullable(String),
  INDEX by_offset (_partition, _offset) TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(_offset)
ORDER BY (shopId, id, feedId)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Below: written by attribution alone. `version` is how much of the log was stored when a row was computed.

-- Each pair of cid and uid seen on any event of a shop, verdicts and imports aside, with the version that found it first.
CREATE TABLE IF NOT EXISTS identity_links (
  shopId String, cid String, uid String, version Int64,
  INDEX by_uid uid TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_version version TYPE minmax GRANULARITY 1
) ENGINE = MergeTree
ORDER BY (shopId, cid, uid);

-- One row per line of a PURCHASE, CART or WISHLIST, credited or not; imported history has none. Read with FINAL, which
-- hides deleted rows (lines of a version of a transaction that another has displaced).
CREATE TABLE IF NOT EXISTS attributed_lines (
  shopId String, kind LowCardinality(String), eventId String, line UInt32,
  occurredAt Int64, cid String, uid Nullable(String),
  shopProductId String, quantity Int64, priceMicros Int64, currency LowCardinality(String),
  -- CREDITED, or why not: NO_TOUCH (no touch of this person in the window), NO_MATCH (touches, but of other products).
  outcome LowCardinality(String),
  -- Of the winning touch; empty when not credited. match: DIRECT or HALO; touchType: VIEW or CLICK.
  match LowCardinality(String), touchType LowCardinality(String), touchEventId String, touchAt Int64,
  campaignId String, accountId String, adId String, slotHash String, adUnitId String,
  algorithm LowCardinality(String), country LowCardinality(Nullable(String)),
  -- What it was computed with: a change of these calls for another computation.
  itemGroups Array(String), clickWindowHours Int32, viewWindowHours Int32,
  version Int64, deleted UInt8
) ENGINE = ReplacingMergeTree(version, deleted)
ORDER BY (shopId, kind, eventId, line);
