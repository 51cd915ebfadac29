import type { Client, estypes } from '@elastic/elasticsearch'
import { editsIn, isSimilar, nearestFirst } from '../../../../services/domain/catalogue/spelling.ts'
import { SIMILAR_TERMS_MAX, type SimilarTerm } from '../../port.ts'
import { offersWith } from './offer-counts.ts'

/** How many suggestions to ask of each shard for each term. Suggestions that `isSimilar` rejects are left out. */
const OPTIONS_MAX = 20
const EDITS_MAX = 2

/** For each term without offers: terms of which it may be a misspelling, with the number of offers that have them now. */
export async function similarTerms(
  client: Client,
  { index, terms, timeoutMs }: { index: string; terms: readonly string[]; timeoutMs: number },
): Promise<SimilarTerm[][]> {
  const text = terms.filter((term) => editsIn(term) > 0).join(' ')
  if (text === '') return terms.map(() => [])
  const { suggest } = await client.search(
    {
      index,
      size: 0,
      suggest: {
        text,
        near: {
          term: {
            field: 'words',
            size: OPTIONS_MAX,
            shard_size: OPTIONS_MAX,
            max_edits: EDITS_MAX,
            prefix_length: 1,
            suggest_mode: 'always',
          },
        },
      },
    },
    { requestTimeout: timeoutMs },
  )
  const entries = (suggest?.near ?? []) as estypes.SearchTermSuggest[]
  const similar = new Map(
    entries.map(({ text, options }) => [
      text,
      [options].flat().flatMap((option) => (isSimilar(text, option.text) ? [option.text] : [])),
    ]),
  )
  const asked = [...new Set([...similar.keys(), ...[...similar.values()].flat()])]
  const offers = await offersWith(client, { index, terms: asked, timeoutMs })
  const isKnown = (term: string) => (offers.get(term) ?? 0) > 0
  return terms.map((term) => {
    if (isKnown(term)) return []
    const found = (similar.get(term) ?? []).filter(isKnown)
    const counted = found.map((other) => ({ term: other, offers: offers.get(other)! }))
    return nearestFirst(term, counted).slice(0, SIMILAR_TERMS_MAX)
  })
}
