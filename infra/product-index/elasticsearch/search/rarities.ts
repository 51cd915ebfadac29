import type { Client } from '@elastic/elasticsearch'
import { rarity } from '../../relevance.ts'

/** How telling terms are changes slowly. */
const KEPT_MS = 60_000
const TERMS_KEPT_MAX = 50_000

/** Rarity of a term that was asked for before. */
export type Rarities = (term: string) => number

/** Asks the index how many offers have a term, and remembers it for a while. */
export function createRarities({ client, index, now }: { client: Client; index: string; now: () => number }) {
  const known = new Map<string, { rarity: number; until: number }>()

  return {
    /** Takes no time when all are known. */
    async of(terms: readonly string[], timeoutMs: number): Promise<Rarities> {
      const missing = [...new Set(terms)].filter((term) => (known.get(term)?.until ?? 0) <= now())
      if (missing.length > 0) {
        const { term_vectors } = await client.termvectors(
          {
            index,
            doc: { words: missing.join(' ') },
            fields: ['words'],
            term_statistics: true,
            field_statistics: true,
            positions: false,
            offsets: false,
          },
          { requestTimeout: timeoutMs },
        )
        const words = term_vectors?.words
        if (known.size + missing.length > TERMS_KEPT_MAX) known.clear()
        for (const term of missing) {
          const matching = words?.terms[term]?.doc_freq ?? 0
          const total = Math.max(0, words?.field_statistics?.doc_count ?? 0)
          known.set(term, { rarity: rarity(matching, total), until: now() + KEPT_MS })
        }
      }
      return (term) => known.get(term)?.rarity ?? 0
    },
    forget(): void {
      known.clear()
    },
  }
}
