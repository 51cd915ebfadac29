-- What sales by visit, exports of sales and phrase lifts need to know of a credited line: they read a span of time, too.
ALTER TABLE credited_lines
  ADD COLUMN IF NOT EXISTS cid String AFTER returnedMicros,
  ADD COLUMN IF NOT EXISTS uid Nullable(String) AFTER cid,
  ADD COLUMN IF NOT EXISTS shopProductId String AFTER uid,
  ADD COLUMN IF NOT EXISTS quantity Int64 AFTER shopProductId,
  ADD COLUMN IF NOT EXISTS returnedQuantity Int64 AFTER quantity,
  ADD COLUMN IF NOT EXISTS touchType LowCardinality(String) AFTER returnedQuantity,
  ADD COLUMN IF NOT EXISTS touchEventId String AFTER touchType,
  ADD COLUMN IF NOT EXISTS touchAt Int64 AFTER touchEventId,
  ADD COLUMN IF NOT EXISTS slotHash String AFTER touchAt;

-- Of rows with equal versions the last one holds.
INSERT INTO credited_lines (shopId, occurredAt, kind, eventId, line, match, campaignId, accountId, adId, adUnitId, algorithm, country,
  currency, priceMicros, returnedMicros, cid, uid, shopProductId, quantity, returnedQuantity, touchType, touchEventId, touchAt, slotHash,
  version, deleted)
SELECT shopId, occurredAt, kind, eventId, line, match, campaignId, accountId, adId, adUnitId, algorithm, country,
  currency, priceMicros, returnedMicros, cid, uid, shopProductId, quantity, returnedQuantity, touchType, touchEventId, touchAt, slotHash,
  version, deleted
FROM attributed_lines FINAL WHERE outcome = 'CREDITED';
