import type { DatabaseSync } from 'node:sqlite'

/**
 * Counts the offers of each seller: adds up what a transaction changes, and stores it at its end. Triggers would make a transaction
 * several times as slow: FTS5 stores what it has gathered as a segment of its own before each statement that fires one.
 * @param db of the index; one transaction is open at a time.
 */
export function createSellerCounts(db: DatabaseSync) {
  const sql = {
    add: db.prepare('INSERT INTO sellers VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET offers = offers + excluded.offers'),
    dropEmpty: db.prepare('DELETE FROM sellers WHERE shopId = ? AND sellerId = ? AND offers = 0'),
  }
  /** By shop and seller. */
  let changes = new Map<string, Map<string, number>>()

  return {
    /** @param sellerId null: the offer names none. */
    add(shopId: string, sellerId: string | null, offers: 1 | -1): void {
      if (sellerId === null) return
      const ofShop = changes.get(shopId) ?? new Map<string, number>()
      changes.set(shopId, ofShop)
      ofShop.set(sellerId, (ofShop.get(sellerId) ?? 0) + offers)
    },
    /**
     * Stores what was added, as the last step of the transaction. A seller that is left without offers is dropped.
     * @throws what SQLite throws; then call `forget`.
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
    /** Forgets what was added: the transaction has failed. */
    forget(): void {
      changes = new Map()
    },
  }
}
