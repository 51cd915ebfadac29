-- Who signed in, what was made and deleted. Each row says itself how long it is kept.
CREATE TABLE IF NOT EXISTS security_events (
  _topic LowCardinality(String), _partition Int32, _offset Int64,
  id String, kind LowCardinality(String), occurredAt Int64, expiresAt Int64,
  actorKind LowCardinality(String), actorId Nullable(String), accountId Nullable(String),
  subjectKind LowCardinality(Nullable(String)), subjectId Nullable(String), detail String, source Nullable(String)
) ENGINE = MergeTree
ORDER BY (occurredAt, id)
TTL toDateTime(intDiv(expiresAt, 1000))
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;
