CREATE TABLE IF NOT EXISTS partitions (
  id INTEGER PRIMARY KEY,
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  -- Offset of the next record. Kept apart from the records, so that no offset is ever used again.
  next_offset INTEGER NOT NULL DEFAULT 0,
  -- Compacted topics: below this offset, only the latest record of each key is left.
  compacted_to INTEGER NOT NULL DEFAULT 0,
  UNIQUE (topic, partition)
) STRICT;

-- Records of one partition that were committed together: many in a retained topic, one in a compacted topic.
CREATE TABLE IF NOT EXISTS blocks (
  id INTEGER PRIMARY KEY,
  partition_id INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  last_offset INTEGER NOT NULL,
  -- UTC epoch milliseconds.
  appended_at INTEGER NOT NULL,
  -- Compacted topics only.
  key BLOB,
  is_tombstone INTEGER NOT NULL DEFAULT 0,
  -- Layout: frame.ts.
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS blocks_by_offset ON blocks (partition_id, first_offset, last_offset);
CREATE INDEX IF NOT EXISTS blocks_by_key ON blocks (partition_id, key, first_offset) WHERE key IS NOT NULL;
CREATE INDEX IF NOT EXISTS tombstones ON blocks (appended_at) WHERE is_tombstone = 1;

CREATE TABLE IF NOT EXISTS commits (
  group_name TEXT NOT NULL,
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  next_offset INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  PRIMARY KEY (group_name, topic, partition)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS writers (
  name TEXT PRIMARY KEY,
  -- Raised each time a writer opens; an append with a lower epoch is fenced.
  epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
