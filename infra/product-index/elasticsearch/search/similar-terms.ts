import type { Client, estypes } from '@elastic/elasticsearch'
import { editsIn, isSimilar, nearestFirst } from '../../../../services/domain/catalogue/spelling.ts'
import { SIMILAR_TERMS_MAX, type SimilarTerm } from '../../port.ts'

/** Asked of each shard for each term; those that are no misspellings by our rule are left out. */
const OPTIONS_MAX = 20
const EDITS_MAX = 2

/** Terms that those without offers may be misspellings of, by one request. */
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
            suggest_mode: 'missing',
          },
        },
      },
    },
    { requestTimeout: timeoutMs },
  )
  const entries = (suggest?.near ?? []) as estypes.SearchTermSuggest[]
  const options = new Map(entries.map((entry) => [entry.text, [entry.options].flat()]))
  return terms.map((term) => {
    const found = (options.get(term) ?? []).map(({ text, freq }) => ({ term: text, offers: freq }))
    return nearestFirst(
      term,
      found.filter((each) => isSimilar(term, each.term)),
    ).slice(0, SIMILAR_TERMS_MAX)
  })
}
