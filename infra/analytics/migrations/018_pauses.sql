-- Scopes under which nothing is inserted for a while, because a table of theirs is being replaced. `until`: UTC epoch milliseconds.
CREATE TABLE IF NOT EXISTS pauses (
  pause String, scope String, until Int64
) ENGINE = MergeTree
PARTITION BY pause
ORDER BY scope
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
