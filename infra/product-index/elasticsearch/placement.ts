import { type Client, errors } from '@elastic/elasticsearch'

/** How long a process relies on what it knows about the layout of an index. */
const KNOWN_MS = 60_000

/** How requests about one shop address an index. */
export interface IndexPlacement {
  index: string
  /** Whether the documents of a shop are in a few shards, to which its id is routed. */
  byShop: boolean
}

/** Sends requests about shops to the right index: `use` passes its placement to `request`. */
export interface Placed {
  use<T>(request: (placement: IndexPlacement) => Promise<T>): Promise<T>
}

/** The routing parameter of a request about a shop. */
export const routingOf = ({ byShop }: IndexPlacement, shopId: string): { routing?: string } =>
  byShop ? { routing: shopId } : {}

const byShopAlias = (alias: string) => `${alias}-by-shop`

/** All aliases of an index that serves or is being filled behind `alias`. */
export const aliasesOf = (alias: string, byShop: boolean): string[] => (byShop ? [alias, byShopAlias(alias)] : [alias])

export const placedIn = (index: string, byShop: boolean): Placed => ({ use: (request) => request({ index, byShop }) })

/**
 * Sends requests to the index behind an alias, whichever layout that has. A process may learn late that an index of the other layout
 * has replaced it. Even so it cannot store a document where others would not look for it: an index by shop refuses documents without
 * a shop, and documents with a shop are addressed to an alias that only an index by shop has. A refused request is sent once more, as
 * the current index requires. Searches that name no shop ask all shards, so they are right with either layout.
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
