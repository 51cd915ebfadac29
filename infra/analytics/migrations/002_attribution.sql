-- Dimensions that attribution needs, kept by the sink from the `registry` and `products` topics.

-- Every version of a campaign: the attribution list in force at a purchase is that of the last version before it.
CREATE TABLE IF NOT EXISTS campaign_versions (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  campaignId String, version Int64, shopId String, accountId String, updatedAt Int64,
  attributionProductIds Array(String)
) ENGINE = ReplacingMergeTree(_offset)
ORDER BY (campaignId, version)
SETTINGS non_replicated_deduplication_window = 10000;

-- Item group of each offer; the highest offset of its partition wins.
CREATE TABLE IF NOT EXISTS product_groups (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  shopId String, feedId String, id String, itemGroupId Nullable(String)
) ENGINE = ReplacingMergeTree(_offset)
ORDER BY (shopId, id, feedId)
SETTINGS non_replicated_deduplication_window = 10000;

-- One row per line of a PURCHASE, CART or WISHLIST, credited or not. Read with FINAL.
CREATE TABLE IF NOT EXISTS attributed_lines (
  shopId String, kind LowCardinality(String), eventId String, line UInt32,
  occurredAt Int64, cid String, uid Nullable(String),
  shopProductId String, quantity Int64, priceMicros Int64, currency LowCardinality(String),
  -- CREDITED, or why not: NO_TOUCH (no touch of this person in the window), NO_MATCH (touches, but of other products).
  outcome LowCardinality(String),
  -- Of the winning touch; empty when not credited.
  match LowCardinality(String), touchType LowCardinality(String), touchEventId String, touchAt Int64,
  campaignId String, accountId String, adId String, slotHash String, adUnitId String,
  algorithm LowCardinality(String), country LowCardinality(Nullable(String)),
  version Int64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (shopId, kind, eventId, line);
