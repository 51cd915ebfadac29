import { DatabaseSync } from 'node:sqlite'
import { documentTexts, textFields } from '../../../infra/product-index/document.ts'
import { fieldWeights } from '../../../infra/product-index/relevance.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { effectivePriceMicros } from '../../../services/domain/campaign/promotion.ts'
import { analyze } from '../../../services/domain/catalogue/text.ts'

export interface Fts5Query {
  text: string
  /** True if an offer must contain every word, false if any of them is enough. */
  everyWord: boolean
  priceMinMicros?: number
  limit: number
}

/**
 * The baseline for the embedded product index: SQLite's own MATCH and bm25() over the same terms, columns and column weights, with
 * the filters as joins. `campaignOf` returns the campaign of an offer; `weights` has the factor by which each campaign multiplies
 * relevance.
 */
export function openFts5(
  offers: readonly ProductOffer[],
  campaigns: { campaignOf: (offer: ProductOffer) => string; weights: ReadonlyMap<string, number> },
) {
  const db = new DatabaseSync(':memory:')
  db.exec(`
    CREATE VIRTUAL TABLE texts USING fts5 (${textFields.join(', ')}, tokenize = "ascii tokenchars '.'");
    CREATE TABLE offers (doc INTEGER PRIMARY KEY, id TEXT, available INT, priceMicros INT, campaign TEXT);
    CREATE TABLE campaigns (campaign TEXT PRIMARY KEY, weight REAL) WITHOUT ROWID;
    BEGIN`)
  const addTexts = db.prepare(
    'INSERT INTO texts (rowid, title, brand, categories, attributes, description) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const addOffer = db.prepare('INSERT INTO offers VALUES (?, ?, ?, ?, ?)')
  for (const [doc, offer] of offers.entries()) {
    const texts = documentTexts(offer, null)
    addTexts.run(doc, ...textFields.map((field) => texts[field]))
    addOffer.run(doc, offer.id, offer.isAvailable ? 1 : 0, effectivePriceMicros(offer), campaigns.campaignOf(offer))
  }
  const addCampaign = db.prepare('INSERT INTO campaigns VALUES (?, ?)')
  for (const [campaign, weight] of campaigns.weights) addCampaign.run(campaign, weight)
  db.exec("COMMIT; INSERT INTO texts (texts) VALUES ('optimize')")

  const columnWeights = textFields.map((field) => fieldWeights[field].weight).join(', ')
  // bm25() is negative; a lower value is better.
  const find = db.prepare(`
    SELECT id FROM texts JOIN offers ON doc = texts.rowid JOIN campaigns USING (campaign)
    WHERE texts MATCH :match AND available AND priceMicros >= :priceMin
    ORDER BY bm25(texts, ${columnWeights}) * weight, doc LIMIT :limit`)

  return {
    /** The ids of the offers found, best first. */
    search({ text, everyWord, priceMinMicros = 0, limit }: Fts5Query): string[] {
      const terms = analyze(text, 'en').map((term) => `"${term}"`)
      if (terms.length === 0) return []
      const match = terms.join(everyWord ? ' AND ' : ' OR ')
      return (find.all({ match, priceMin: priceMinMicros, limit }) as { id: string }[]).map(({ id }) => id)
    },
    close: () => db.close(),
  }
}
