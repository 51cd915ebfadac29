-- The clock that a shop's days are of. Rows from before get it from the registry (streams/sink/time-zones.ts).
ALTER TABLE shop_versions ADD COLUMN IF NOT EXISTS timeZone LowCardinality(String) DEFAULT '';
