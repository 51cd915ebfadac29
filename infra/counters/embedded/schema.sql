-- How far each source was applied in each shard, and its last note there.
CREATE TABLE sources (
  shard INTEGER NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL, note TEXT,
  PRIMARY KEY (shard, source)
) STRICT, WITHOUT ROWID;

-- Names begin with what the group holds: `c/` counters by fingerprint, `e/` counters by id, `s/` seen keys.
CREATE TABLE groups (
  id INTEGER PRIMARY KEY AUTOINCREMENT, shard INTEGER NOT NULL, name TEXT NOT NULL, kept_until INTEGER,
  UNIQUE (shard, name)
) STRICT;
CREATE INDEX groups_by_end ON groups (kept_until) WHERE kept_until IS NOT NULL;

-- A group's entries lie together, so that those in use fit into memory and a group is forgotten page by page.
-- `id` is a fingerprint, in a tally with the number of the counter behind it, or the id itself in a group of exact counters.
CREATE TABLE entries (
  group_id INTEGER NOT NULL, id ANY NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (group_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE complete (shard INTEGER PRIMARY KEY) STRICT;

-- The latest `kept_until` of the groups that were forgotten.
CREATE TABLE forgotten (only INTEGER PRIMARY KEY CHECK (only = 0), until INTEGER NOT NULL) STRICT;

CREATE TABLE watermark (only INTEGER PRIMARY KEY CHECK (only = 0), at INTEGER NOT NULL) STRICT;
