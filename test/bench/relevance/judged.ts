import { readJudgments } from './icecat.ts'

export const DEPTH = 10
export const SHOP = 'icecat'
const CAMPAIGNS = [{ campaignIds: ['all'], weight: 1 }]

type Ratings = ReadonlyMap<string, number>

/** The ratings by product of each query that has a relevant product. */
export function judgedQueries(folder: string): Map<string, Ratings> {
  const judged = new Map<string, Map<string, number>>()
  for (const { query, docid, rating } of readJudgments(folder)) {
    judged.set(query, (judged.get(query) ?? new Map()).set(docid, rating))
  }
  return new Map([...judged].filter(([, ratings]) => ideal(ratings) > 0))
}

/** The search of CONTEXT_MATCH (`minShare` 1) or of its WIDE variant (0). */
export function searchOf(text: string, minShare: number) {
  return {
    shopId: SHOP,
    filters: [{ kind: 'available' } as const, { kind: 'text', text, lang: 'en', minShare, in: 'ALL_FIELDS' } as const],
    rank: { by: 'text', text, lang: 'en' } as const,
    campaigns: CAMPAIGNS,
    limit: DEPTH,
    priorClickRate: 0.004,
    tieSeed: 1,
  }
}

/** nDCG of the products found. The gain is 2^rating - 1; unjudged products count 0. */
export const ndcg = (ratings: Ratings, found: readonly string[]): number =>
  gain(found.map((id) => ratings.get(id) ?? 0)) / ideal(ratings)

const ideal = (ratings: Ratings) => gain([...ratings.values()].sort((a, b) => b - a))

/** Discounted cumulative gain of the first `DEPTH` ratings. */
function gain(ratings: readonly number[]): number {
  return ratings.slice(0, DEPTH).reduce((sum, rating, at) => sum + (2 ** rating - 1) / Math.log2(at + 2), 0)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
