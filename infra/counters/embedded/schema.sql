-- Where each source stands: its last applied position and the time of its last step.
CREATE TABLE IF NOT EXISTS sources (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last_offset INTEGER NOT NULL, last_now INTEGER NOT NULL
) STRICT;

-- Outcomes of one apply per row: JSON of [offset, outcome] pairs, offsets rising.
CREATE TABLE IF NOT EXISTS outcomes (
  source INTEGER NOT NULL, first_offset INTEGER NOT NULL, last_offset INTEGER NOT NULL, pairs TEXT NOT NULL,
  PRIMARY KEY (source, first_offset)
) STRICT, WITHOUT ROWID;

-- Keys spread over the whole table, so writing each change here at once would cost a page per change. Changes go to
-- `changes` first, in order, and come here in the order of their keys, many to a page.
-- `source` is the last to write the row: its clock says when an expired row may be removed.
CREATE TABLE IF NOT EXISTS entries (
  key TEXT PRIMARY KEY, value INTEGER NOT NULL, expires_at INTEGER, source INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- JSON of [key, value, expires_at, source] tuples not yet known to be in `entries`; later rows win.
CREATE TABLE IF NOT EXISTS changes (
  id INTEGER PRIMARY KEY, generation INTEGER NOT NULL, tuples TEXT NOT NULL
) STRICT;
