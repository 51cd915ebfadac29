-- Valid events that were found out later not to count: one row per record of the topic `corrections`. An event may have several.
CREATE TABLE IF NOT EXISTS event_corrections (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  correctionId String, eventId String, type LowCardinality(String), shopId String, campaignId String, accountId String,
  cid String, occurredAt Int64, creditedMicros Int64, currency LowCardinality(String),
  reason String, correctedBy String, correctedAt Int64,
  INDEX by_offset (_partition, _offset) TYPE minmax GRANULARITY 1
) ENGINE = MergeTree
ORDER BY (shopId, eventId)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;
