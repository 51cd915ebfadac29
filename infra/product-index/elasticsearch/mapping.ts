import { createHash } from 'node:crypto'
import type { estypes } from '@elastic/elasticsearch'
import { SATURATION } from '../relevance.ts'
import type { ProductDocument } from './document.ts'

/** Raised when documents are made differently of the same offers: the index is then made anew from what it holds. */
const DOCUMENT_FORMAT = 1
const REFRESH_INTERVAL = '1s'
/** Between the levels of one category path and those of the next. */
const PATH_GAP = 1_000

export interface ShardSettings {
  /** More than one pays from some ten million offers on. */
  shards: number
  /** Copies on other machines; 0 where there is one machine. */
  replicas: number
}

const keyword = { type: 'keyword' } as const
/** Sought but never sorted or read by a script. */
const facet = { type: 'keyword', doc_values: false } as const
/** Read by key alone. */
const sorted = { type: 'keyword', index: false, doc_values: true } as const

/** Terms come analysed (services/domain/catalogue/text.ts), so that all engines find the same; here they are only split. */
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
  nodes: { ...text, index_options: 'positions', position_increment_gap: PATH_GAP },
  paths: sorted,
  title: { ...text, index_options: 'positions' },
  words: { ...text, index_options: 'freqs', similarity: 'occurrences' },
  tie: { type: 'integer', index: false },
}

/** `span_near` within one path: no path is deeper, and the next one is further away. */
export const PATH_SLOP = PATH_GAP - 1

/** BM25 without lengths: those are in how often a term is repeated. The saturation is that of relevance.ts. */
const similarity = { occurrences: { type: 'BM25', k1: SATURATION, b: 0 } } as const

export function productsIndex({ shards, replicas }: ShardSettings) {
  const shape = {
    settings: {
      number_of_shards: shards,
      refresh_interval: REFRESH_INTERVAL,
      analysis: { analyzer: { terms: { type: 'custom', tokenizer: 'whitespace' } } },
      similarity,
    },
    mappings: { dynamic: false, properties },
  } as const
  const format = createHash('sha256')
    .update(JSON.stringify([DOCUMENT_FORMAT, shape]))
    .digest('base64url')
  return {
    settings: { ...shape.settings, number_of_replicas: replicas },
    mappings: { ...shape.mappings, _meta: { format } },
    format,
  }
}

/** Signals are kept until their offer comes; found by key alone. */
export const signalsIndex = ({ shards, replicas }: ShardSettings) => ({
  settings: { number_of_shards: shards, number_of_replicas: replicas, refresh_interval: REFRESH_INTERVAL },
  mappings: { dynamic: false, properties: {} } as const,
})
