-- Who sent an event: rows from before are of senders that nobody asked.
ALTER TABLE transactions ADD COLUMN IF NOT EXISTS proof LowCardinality(String) DEFAULT 'ANONYMOUS';
ALTER TABLE page_views ADD COLUMN IF NOT EXISTS proof LowCardinality(String) DEFAULT 'ANONYMOUS';
ALTER TABLE shop_versions ADD COLUMN IF NOT EXISTS transactionTrust LowCardinality(String) DEFAULT 'OPEN';
