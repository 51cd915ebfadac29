-- Which rule against invalid traffic an event broke, and what it was judged by.
ALTER TABLE judged_events
  ADD COLUMN IF NOT EXISTS invalidReason LowCardinality(Nullable(String)),
  ADD COLUMN IF NOT EXISTS marks Array(LowCardinality(String)),
  ADD COLUMN IF NOT EXISTS proof LowCardinality(String) DEFAULT 'ANONYMOUS',
  -- Keyed hashes; their keys are forgotten after 48 hours.
  ADD COLUMN IF NOT EXISTS addressHash Nullable(String),
  ADD COLUMN IF NOT EXISTS networkHash Nullable(String),
  ADD COLUMN IF NOT EXISTS agentHash Nullable(String);
