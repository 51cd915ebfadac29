-- What was searched for when ads were requested, as numbers: see `phrases` and `lifts` in schemas/avro/events/Emission.avsc.
ALTER TABLE emissions ADD COLUMN IF NOT EXISTS phrases Array(Int64);
ALTER TABLE emissions ADD COLUMN IF NOT EXISTS lifts Array(Float64);

-- What happened on each UTC day (epoch days) to the products shown after words that led to a click on that day, by their place in
-- the list. A day is counted more than once, by `countedOn` (epoch days); the last count holds. Once a count is whole, it has a row
-- of phrase 0.
CREATE TABLE IF NOT EXISTS phrase_days (
  shopId String, day Int32, phrase Int64, id String, position Int32, views Int64, clicks Int64, purchases Int64, countedOn Int32
) ENGINE = ReplacingMergeTree
PARTITION BY intDiv(day, 30)
ORDER BY (shopId, day, countedOn, phrase, id, position)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
