-- Products of purchases that came back; without lines, the whole purchase. A return id counts once in a shop.
CREATE TABLE IF NOT EXISTS transaction_returns (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  returnId String, shopId String, eventId String, reason Nullable(String), returnedBy String,
  occurredAt Int64 CODEC(DoubleDelta, ZSTD), receivedAt Int64 CODEC(DoubleDelta, ZSTD),
  lines Array(Tuple(shopProductId String, quantity Int64)),
  INDEX by_offset (_partition, _offset) TYPE minmax GRANULARITY 1,
  INDEX by_return returnId TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = MergeTree
ORDER BY (shopId, eventId, returnId)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- How much of each line came back, and the part of its price.
ALTER TABLE attributed_lines ADD COLUMN IF NOT EXISTS returnedQuantity Int64 DEFAULT 0 AFTER itemGroups;
ALTER TABLE attributed_lines ADD COLUMN IF NOT EXISTS returnedMicros Int64 DEFAULT 0 AFTER itemGroups;
