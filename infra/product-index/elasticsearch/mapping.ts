import { createHash } from 'node:crypto'
import type { estypes } from '@elastic/elasticsearch'
import { SATURATION } from '../relevance.ts'
import type { ProductDocument } from './document.ts'

/** Raise this when the same offer makes a different document than before. The index is then rebuilt from its own documents. */
const DOCUMENT_FORMAT = 2
const REFRESH_INTERVAL = '1s'
/** How many positions lie between the levels of one category path and those of the next. */
const PATH_GAP = 1_000

export interface ShardSettings {
  /** One is enough up to some ten million offers. */
  shards: number
  /** Copies of each shard on other machines; 0 when there is one machine. */
  replicas: number
  /** How many shards hold the documents of one shop: fewer than `shards`, or 0 for all of them. */
  perShop: number
}

const keyword = { type: 'keyword' } as const
/** Searched, but neither sorted nor read by a script. */
const facet = { type: 'keyword', doc_values: false } as const
/** Sorted or read by a script, but not searched. */
const sorted = { type: 'keyword', index: false, doc_values: true } as const

/** Terms arrive analysed (services/domain/catalogue/text.ts) and are only split here, so all engines find the same offers. */
const text = { type: 'text', analyzer: 'terms', norms: false } as const

const properties: Partial<Record<keyof ProductDocument, estypes.MappingProperty>> = {
  shop: keyword,
  feed: keyword,
  id: keyword,
  live: { type: 'boolean', doc_values: false },
  writtenAt: { type: 'long' },
  campaigns: keyword,
  popularity: { type: 'double', index: false },
  views: { type: 'long', index: false },
  clicks: { type: 'long', index: false },
  digest: sorted,
  ids: facet,
  available: { type: 'boolean', doc_values: false },
  currency: facet,
  lang: facet,
  countries: facet,
  priceMicros: { type: 'long' },
  facets: facet,
  seller: keyword,
  nodes: { ...text, index_options: 'positions', position_increment_gap: PATH_GAP },
  paths: sorted,
  title: { ...text, index_options: 'positions' },
  words: { ...text, index_options: 'freqs', similarity: 'occurrences' },
  tie: { type: 'integer', index: false },
}

/** Keeps `span_near` within one path: no path is deeper, and the next one is further away. */
export const PATH_SLOP = PATH_GAP - 1

/** BM25 with the saturation of relevance.ts and without lengths, which the repetition of terms in `words` already accounts for. */
const similarity = { occurrences: { type: 'BM25', k1: SATURATION, b: 0 } } as const

/** An index by shop refuses documents without a shop, so that no document ends up in a shard that searches of its shop do not ask. */
const placementOf = ({ shards, perShop }: ShardSettings) => ({
  settings: { number_of_shards: shards, ...(perShop > 1 ? { routing_partition_size: perShop } : {}) },
  mappings: perShop > 0 ? { _routing: { required: true } } : {},
})

export function productsIndex(shards: ShardSettings) {
  const placement = placementOf(shards)
  const shape = {
    settings: {
      ...placement.settings,
      refresh_interval: REFRESH_INTERVAL,
      analysis: { analyzer: { terms: { type: 'custom', tokenizer: 'whitespace' } } },
      similarity,
    },
    mappings: { ...placement.mappings, dynamic: false, properties },
  } as const
  const format = createHash('sha256')
    .update(JSON.stringify([DOCUMENT_FORMAT, shape]))
    .digest('base64url')
  return {
    settings: { ...shape.settings, number_of_replicas: shards.replicas },
    mappings: { ...shape.mappings, _meta: { format } },
    format,
  }
}

/** Stores signals, for offers that are written after them. It is read by key only. */
export function signalsIndex(shards: ShardSettings) {
  const placement = placementOf(shards)
  return {
    settings: { ...placement.settings, number_of_replicas: shards.replicas, refresh_interval: REFRESH_INTERVAL },
    mappings: { ...placement.mappings, dynamic: false, properties: {} } as const,
  }
}
