import type { DatabaseSync } from 'node:sqlite'

/**
 * Counts the offers of each seller. It adds up the changes of a transaction and stores them at the transaction's end. Triggers would
 * make a transaction several times as slow, because FTS5 flushes its buffered entries to a separate segment before each statement
 * that fires a trigger.
 * @param db the index's database; one transaction is open at a time.
 */
export function createSellerCounts(db: DatabaseSync) {
  const sql = {
    add: db.prepare('INSERT INTO sellers VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET offers = offers + excluded.offers'),
    dropEmpty: db.prepare('DELETE FROM sellers WHERE shopId = ? AND sellerId = ? AND offers = 0'),
  }
  /** By shop and seller: by how much the number of offers changes. */
  let changes = new Map<string, Map<string, number>>()

  return {
    /** @param sellerId null when the offer names no seller. */
    add(shopId: string, sellerId: string | null, offers: 1 | -1): void {
      if (sellerId === null) return
      const ofShop = changes.get(shopId) ?? new Map<string, number>()
      changes.set(shopId, ofShop)
      ofShop.set(sellerId, (ofShop.get(sellerId) ?? 0) + offers)
    },
    /**
     * Stores the changes, as the last step of the transaction. A seller without offers is deleted.
     * @throws the errors of SQLite; the caller must then call `forget`.
     */
    store(): void {
      for (const [shopId, ofShop] of changes) {
        for (const [sellerId, offers] of ofShop) {
          if (offers !== 0) sql.add.run(shopId, sellerId, offers)
          if (offers < 0) sql.dropEmpty.run(shopId, sellerId)
        }
      }
      changes = new Map()
    },
    /** Discards the changes after a failed transaction. */
    forget(): void {
      changes = new Map()
    },
  }
}
