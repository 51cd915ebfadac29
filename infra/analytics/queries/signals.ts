/** Queries behind the stream of signals. Each transaction id counts once per shop. */

/** Baskets of a shop since `since` (epoch ms), oldest first: { occurredAt, items }. */
export const basketsQuery = `
SELECT min(occurredAt) AS occurredAt, any(arrayMap(line -> line.shopProductId, lines)) AS items
FROM transactions
WHERE shopId = {shopId:String} AND kind = 'PURCHASE' AND occurredAt >= {since:Int64}
GROUP BY eventId
ORDER BY occurredAt, eventId
LIMIT {limit:UInt32}`

/** Units bought of each product, each counted 2^(-age / halfLifeMs) : { id, purchases }. */
export const decayedPurchasesQuery = `
SELECT shopProductId AS id, sum(exp2(-greatest(0, {now:Int64} - at) / {halfLifeMs:Int64})) AS purchases
FROM (
  SELECT min(occurredAt) AS at, arrayDistinct(any(arrayMap(line -> line.shopProductId, lines))) AS items
  FROM transactions
  WHERE shopId = {shopId:String} AND kind = 'PURCHASE' AND occurredAt >= {since:Int64}
  GROUP BY eventId
)
ARRAY JOIN items AS shopProductId
GROUP BY id`

/** Valid sponsored views and clicks of each product: { id, views, clicks }. */
export const adOutcomesQuery = `
SELECT adId AS id, countIf(type = 'VIEW') AS views, countIf(type = 'CLICK') AS clicks
FROM judged_events
WHERE shopId = {shopId:String} AND kind = 'SPONSORED' AND verdict = 'VALID' AND occurredAt >= {since:Int64}
GROUP BY id`
