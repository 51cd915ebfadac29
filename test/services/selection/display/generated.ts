import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { DisplayAlgorithm } from '../../../../schemas/records/entities.ts'
import { ALL_KINDS } from './display-world.ts'

/** Random campaigns and requests. Targeting consists of concepts, each with several spellings. */

const WORDS = [
  ['lamp', 'Lamps', 'LÁMP'],
  ['desk', 'desks'],
  ['red', 'RED'],
  ['16gb', '16 GB'],
]
const LEVELS = [
  ['Home', ' hÔme '],
  ['Lamps', 'LAMPS'],
  ['Desk', 'desk '],
]
const BRANDS = [
  ['Solvik', 'SOLVIK '],
  ['Żuk', 'żuk'],
]
const PRODUCTS = ['p1', 'p2']
const PROFILES = ['young', 'old']
/** Addresses of shop.example, each in several spellings. A relative address does not name the shop. */
export const HOST = 'https://shop.example'
export const ADDRESSES = ['/lamps', '/lamps/desk', '/lamps/desk?page=2', '/about', '/ABOUT#top'].flatMap((path) => [
  path,
  HOST + path,
])
const PATTERNS = ['/lamps', '/lamps/*', '*desk*', '*page=2', 'shop.example/about', 'https://*/about', '/LAMPS*K']
const FORMATS = ['f1', 'f2', 'f3']
export const IDS = Array.from({ length: 60 }, () => randomUUID())

/** Concepts by number, and their spelling in this case. */
export type Written = { concepts: number[]; text: string }

const written = (spellings: readonly string[][], separator: string, minLength: number) =>
  fc
    .array(
      fc
        .nat(spellings.length - 1)
        .chain((concept) => fc.constantFrom(...spellings[concept]!).map((spelling) => ({ concept, spelling }))),
      { minLength, maxLength: 3 },
    )
    .map(
      (parts): Written => ({
        concepts: parts.map(({ concept }) => concept),
        text: parts.map(({ spelling }) => spelling).join(separator),
      }),
    )
const phrase = written(WORDS, ' ', 1)
const path = written(LEVELS, '>', 1)
const brand = fc
  .nat(1)
  .chain((concept) => fc.constantFrom(...BRANDS[concept]!).map((text): Written => ({ concepts: [concept], text })))
const few = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: fc.array(value, { minLength: 1, maxLength: 3 }) },
  )
const targeting = fc.record({
  phrases: few(phrase),
  categoryPaths: few(path),
  brands: few(brand),
  productIds: few(fc.constantFrom(...PRODUCTS)),
  profiles: few(fc.constantFrom(...PROFILES)),
  refererPatterns: few(fc.constantFrom(...PATTERNS)),
})
export const change = fc.record({
  id: fc.constantFrom(...IDS),
  targeting,
  bid: fc.constantFrom(1_000_000, 2_000_000, 3_000_000),
  autoPromo: fc.boolean(),
  country: fc.constantFrom('DE', 'DE', 'AT'),
  formats: fc.array(fc.constantFrom(...FORMATS), { minLength: 1, maxLength: 3 }),
  capped: fc.boolean(),
  fault: fc.constantFrom(
    ...Array(8).fill(null),
    ...([
      'PAUSED',
      'DRAFT',
      'REJECTED',
      'IN_MODERATION',
      'ENDED',
      'SCHEDULED',
      'BROKE',
      'DISABLED',
      'DELETED',
    ] as const),
  ) as fc.Arbitrary<Fault | null>,
})
export type Fault =
  | 'PAUSED'
  | 'DRAFT'
  | 'REJECTED'
  | 'IN_MODERATION'
  | 'ENDED'
  | 'SCHEDULED'
  | 'BROKE'
  | 'DISABLED'
  | 'DELETED'
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never
/** A campaign as it was written last. */
export interface Known extends Change {
  banners: { id: string; adFormatId: string }[]
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
export const request = fc.record({
  algorithm: fc.constantFrom<DisplayAlgorithm>('DISPLAY', 'DISPLAY_PHRASE_OR_CATEGORY'),
  chosen: fc.oneof(fc.constant(ALL_KINDS), fc.subarray(ALL_KINDS)),
  unitFormats: fc.subarray(FORMATS),
  searchData: optional(phrase),
  productTitle: optional(phrase),
  categoryPaths: optional(fc.array(path, { maxLength: 2 })),
  brand: optional(brand),
  productId: optional(fc.constantFrom(...PRODUCTS)),
  profiles: optional(fc.subarray(PROFILES)),
  adFormatIds: optional(fc.subarray(FORMATS)),
  country: fc.constantFrom('DE', 'de', 'AT'),
  currency: fc.constantFrom(undefined, undefined, undefined, 'eur', 'PLN'),
  adType: fc.constantFrom(undefined, 'ALL' as const, 'SPONSORED' as const, 'AUTOPROMO' as const),
  adCount: fc.integer({ min: 1, max: 12 }),
  minAdCount: optional(fc.integer({ min: 1, max: 6 })),
})
export type Request = typeof request extends fc.Arbitrary<infer T> ? T : never
