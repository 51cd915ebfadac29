import type { Client, estypes } from '@elastic/elasticsearch'

/** How many offers have each of these terms. Common terms take the longest to count. */
export async function offersWith(
  client: Client,
  { terms, timeoutMs, ...where }: { index: string; routing?: string; terms: readonly string[]; timeoutMs: number },
): Promise<Map<string, number>> {
  if (terms.length === 0) return new Map()
  const { aggregations } = await client.search<never, { offers: estypes.AggregationsFiltersAggregate }>(
    {
      ...where,
      size: 0,
      track_total_hits: false,
      aggs: { offers: { filters: { filters: terms.map((term) => ({ term: { words: term } })) } } },
    },
    { requestTimeout: timeoutMs },
  )
  const buckets = aggregations!.offers.buckets as estypes.AggregationsFiltersBucket[]
  return new Map(terms.map((term, at) => [term, buckets[at]!.doc_count]))
}
