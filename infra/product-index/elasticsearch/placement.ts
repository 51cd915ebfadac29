import { type Client, errors } from '@elastic/elasticsearch'

/** How long a process believes that it knows how an index was made. */
const KNOWN_MS = 60_000

/** How requests about one shop name an index. */
export interface IndexPlacement {
  index: string
  /** Whether the documents of a shop lie in few shards, which its id leads to. */
  byShop: boolean
}

/** Where requests about shops go; each is sent by `use`. */
export interface Placed {
  use<T>(request: (placement: IndexPlacement) => Promise<T>): Promise<T>
}

/** The parameter of a request about a shop. */
export const routingOf = ({ byShop }: IndexPlacement, shopId: string): { routing?: string } =>
  byShop ? { routing: shopId } : {}

const byShopAlias = (alias: string) => `${alias}-by-shop`

/** The aliases that an index has which serves, or is filled, behind an alias. */
export const aliasesOf = (alias: string, byShop: boolean): string[] => (byShop ? [alias, byShopAlias(alias)] : [alias])

export const placedIn = (index: string, byShop: boolean): Placed => ({ use: (request) => request({ index, byShop }) })

/**
 * Requests to whatever index is behind an alias, made by whatever settings. A process may be late to learn that an index made
 * another way has taken over, but cannot put a document where others would not look for it: an index by shop refuses documents
 * without a shop, and those with one are addressed to an alias that only an index by shop has. A refused request is sent
 * once more, as the present index wants it. Searches that name no shop ask all shards, so they are right in either.
 */
export function placedBehind({
  client,
  alias,
  timeoutMs,
  now,
}: {
  client: Client
  alias: string
  timeoutMs: number
  now: () => number
}): Placed {
  let known: { placement: IndexPlacement; until: number } | null = null

  async function look(): Promise<IndexPlacement> {
    const byShop = await client.indices.existsAlias({ name: byShopAlias(alias) }, { requestTimeout: timeoutMs })
    const placement = { index: byShop ? byShopAlias(alias) : alias, byShop }
    known = { placement, until: now() + KNOWN_MS }
    return placement
  }

  return {
    async use(request) {
      const placement = known !== null && now() < known.until ? known.placement : await look()
      try {
        return await request(placement)
      } catch (error) {
        if (isUnanswered(error)) throw error
        const present = await look()
        if (present.byShop === placement.byShop) throw error
        return request(present)
      }
    },
  }
}

const isUnanswered = (error: unknown) =>
  error instanceof errors.ElasticsearchClientError && !(error instanceof errors.ResponseError)
