-- Search phrases for which an ad unit found no product to show. Each row is kept as long as the log keeps its record.
CREATE TABLE IF NOT EXISTS empty_searches (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  shopId String, phrase String, person Int64, occurredAt Int64
) ENGINE = MergeTree
ORDER BY (shopId, occurredAt)
TTL toDateTime(intDiv(occurredAt, 1000)) + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;
