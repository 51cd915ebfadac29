import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BannerTargeting, DisplayAlgorithm } from '../../../../schemas/records/entities.ts'
import { viewsKey } from '../../../../services/domain/money/counter-keys.ts'
import { tries } from '../../../effort.ts'
import { DAY_MS, NOW } from '../world.ts'
import {
  ALL_KINDS,
  type Changes,
  createDisplayWorld,
  type DisplayAd,
  type DisplayWorld,
  NO_TARGETING,
} from './display-world.ts'

/**
 * Display selection against brute force. Targeting consists of concepts, each with several spellings. The brute force compares the
 * concepts and never reads the spellings.
 */

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
const HOST = 'https://shop.example'
const ADDRESSES = ['/lamps', '/lamps/desk', '/lamps/desk?page=2', '/about', '/ABOUT#top'].flatMap((path) => [
  path,
  HOST + path,
])
const PATTERNS = ['/lamps', '/lamps/*', '*desk*', '*page=2', 'shop.example/about', 'https://*/about', '/LAMPS*K']
const FORMATS = ['f1', 'f2', 'f3']
const IDS = Array.from({ length: 60 }, () => randomUUID())

/** Concepts by number, and their spelling in this case. */
type Written = { concepts: number[]; text: string }

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
const unique = (texts: string[]) => [...new Set(texts)]

const targeting = fc.record({
  phrases: few(phrase),
  categoryPaths: few(path),
  brands: few(brand),
  productIds: few(fc.constantFrom(...PRODUCTS)),
  profiles: few(fc.constantFrom(...PROFILES)),
  refererPatterns: few(fc.constantFrom(...PATTERNS)),
})
const change = fc.record({
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
type Fault =
  | 'PAUSED'
  | 'DRAFT'
  | 'REJECTED'
  | 'IN_MODERATION'
  | 'ENDED'
  | 'SCHEDULED'
  | 'BROKE'
  | 'DISABLED'
  | 'DELETED'
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never
interface Known extends Change {
  banners: { id: string; adFormatId: string }[]
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const request = fc.record({
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
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never

let world: DisplayWorld
let disabledId: string
const known = new Map<string, Known>()
beforeAll(async () => {
  world = await createDisplayWorld()
  disabledId = world.put('Account', { ...world.publisher, kind: 'ADVERTISER', displayEnabled: false })
})
afterAll(() => world.close())

function apply(made: Change): void {
  const { id, fault, bid, autoPromo, country, capped, formats } = made
  const banners = formats.map((adFormatId) => world.banner({ adFormatId }))
  const texts = (list: Written[]) => unique(list.map(({ text }) => text))
  const { phrases, categoryPaths, brands, productIds, profiles, refererPatterns } = made.targeting
  const lists: BannerTargeting = {
    ...NO_TARGETING,
    phrases: texts(phrases),
    categoryPaths: texts(categoryPaths),
    brands: texts(brands),
    productIds: unique(productIds),
    profiles: unique(profiles),
    refererPatterns: unique(refererPatterns),
  }
  const moderation = { state: 'ACCEPTED', reason: null, decidedAt: 0, decidedBy: '', history: [] } as const
  const faults: Record<Fault, Changes> = {
    PAUSED: { status: 'PAUSED' },
    DRAFT: { status: 'DRAFT' },
    REJECTED: { moderation: { ...moderation, history: [], state: 'REJECTED' } },
    IN_MODERATION: { moderation: { ...moderation, history: [], state: 'IN_MODERATION' } },
    ENDED: { endAt: NOW },
    SCHEDULED: { startAt: NOW + DAY_MS / 2, endAt: NOW + DAY_MS },
    BROKE: { budgetMicros: 0, autoPromo: false },
    DISABLED: { accountId: disabledId },
    DELETED: {},
  }
  const money = { cpmMicros: autoPromo ? 0 : bid, autoPromo, capping: capped ? 1 : null }
  world.display({ targeting: lists, country, banners, ...money, ...(fault ? faults[fault] : {}) }, id)
  if (fault === 'DELETED') world.remove('Campaign', id)
  known.set(id, { ...made, banners })
}

const within = (parts: number[], whole: number[]) => parts.every((part) => whole.includes(part))
const beginsWith = (whole: number[], start: number[]) => start.every((level, at) => whole[at] === level)

/** Whether a pattern matches an address, by a regular expression. */
function patternFits(pattern: string, address: string): boolean {
  const source = pattern.replaceAll(/[.?/]/g, '\\$&').replaceAll('*', '.*')
  const path = address.replace(HOST, '').replace('#top', '')
  const hosts = address.startsWith(HOST) ? ['', 'shop.example', HOST] : ['']
  const forms = hosts.flatMap((host) => [host + path, host + path.split('?')[0]])
  return forms.some((form) => new RegExp(`^${source}$`, 'i').test(form))
}

function fits({ targeting: t, country }: Known, asked: Request, address: string): boolean {
  const is = (kind: string) => asked.chosen.includes(kind)
  const texts = is('searchData')
    ? [asked.searchData, asked.algorithm === 'DISPLAY' ? asked.productTitle : undefined]
    : []
  const paths = is('categoryPaths') ? (asked.categoryPaths ?? []) : []
  const phraseFits = t.phrases.some((each) => texts.some((text) => text && within(each.concepts, text.concepts)))
  const pathFits = t.categoryPaths.some((each) => paths.some((page) => beginsWith(page.concepts, each.concepts)))
  const [setsPhrase, setsPath] = [t.phrases.length > 0, t.categoryPaths.length > 0]
  const topic =
    asked.algorithm === 'DISPLAY'
      ? phraseFits === setsPhrase && pathFits === setsPath
      : phraseFits || pathFits || !(setsPhrase || setsPath)
  const one = <T>(kind: string, wanted: T[], has: (value: T) => boolean) =>
    wanted.length === 0 || (is(kind) && wanted.some(has))
  return (
    topic &&
    country === asked.country.toUpperCase() &&
    one('brand', t.brands, ({ concepts }) => concepts[0] === asked.brand?.concepts[0]) &&
    one('productId', t.productIds, (id) => id === asked.productId) &&
    one('profiles', t.profiles, (profile) => asked.profiles?.includes(profile) === true) &&
    one('referer', t.refererPatterns, (pattern) => patternFits(pattern, address))
  )
}

interface Possible {
  id: string
  bid: number
  autoPromo: boolean
}

/** Every banner that may be shown, however many places there are. */
function possible(asked: Request, address: string, seen: ReadonlySet<string>): Possible[] {
  const { unitFormats, adFormatIds = [], adType = 'ALL', algorithm, currency = 'EUR' } = asked
  if (algorithm === 'DISPLAY' && currency.toUpperCase() !== 'EUR') return []
  const allows = (formats: string[], id: string) => formats.length === 0 || formats.includes(id)
  return [...known.values()].flatMap((campaign) => {
    const { fault, autoPromo, bid, banners, capped } = campaign
    if (fault !== null || !fits(campaign, asked, address)) return []
    if (adType !== 'ALL' && autoPromo !== (adType === 'AUTOPROMO')) return []
    return banners
      .filter(
        ({ id, adFormatId }) =>
          allows(unitFormats, adFormatId) && allows(adFormatIds, adFormatId) && !(capped && seen.has(id)),
      )
      .map(({ id }) => ({ id, bid: autoPromo ? 0 : bid, autoPromo }))
  })
}

let asks = 0
async function ask(slots: Request[], address: string, seen: ReadonlySet<string>): Promise<DisplayAd[][]> {
  const cid = `browser-${asks++}`
  for (const [campaignId, { banners }] of known) {
    for (const { id } of banners) {
      const shard = world.counters.shardOf(campaignId)
      if (seen.has(id)) world.counters.set(viewsKey(shard, 'cid', { campaignId, adId: id }, '2026-05-01', cid), 1)
    }
  }
  const body = slots.map(({ algorithm, chosen, unitFormats, ...rest }) => ({
    ...rest,
    searchData: rest.searchData?.text,
    productTitle: rest.productTitle?.text,
    categoryPaths: rest.categoryPaths?.map(({ text }) => text),
    brand: rest.brand?.text,
    slotHash: world.slot(algorithm, { targeting: chosen, adFormatIds: unitFormats }),
  }))
  const answer = await world.askDisplay(body, { headers: { cid, referer: address } })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.json().data.map(({ ads }: { ads: DisplayAd[] }) => ads)
}

it('shows no banner outside its targeting, misses none while there is room, shows none twice, and the dearest first', async () => {
  let shownInAll = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 8 }),
      fc.array(request, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...ADDRESSES),
      fc.nat(4),
      async (changes, slots, address, seenShare) => {
        for (const each of changes) apply(each)
        world.world.now += 250
        // A new campaign gets its budget lease only in the next turn of the event loop.
        await new Promise(setImmediate)
        const all = [...known.values()].flatMap(({ banners }) => banners.map(({ id }) => id))
        const seen = new Set(all.filter((_, i) => i % 5 < seenShare))
        const answer = await ask(slots, address, seen)
        const taken = new Set<string>()
        for (const [i, ads] of answer.entries()) {
          const { adCount, minAdCount = 0 } = slots[i]!
          const open = possible(slots[i]!, address, seen).filter(({ id }) => !taken.has(id))
          // Paid ads come first, in order of price; self-promotion takes the places that are left.
          const best = open.toSorted((a, b) => b.bid - a.bid).slice(0, adCount)
          const shown = ads.map(({ bannerId }) => open.find(({ id }) => id === bannerId))
          expect(shown).not.toContain(undefined)
          const expected = best.length < minAdCount ? [] : best
          expect(shown.map((each) => each!.bid)).toEqual(expected.map(({ bid }) => bid))
          expect(ads.map(({ autoPromo }) => autoPromo)).toEqual(expected.map(({ autoPromo }) => autoPromo))
          expect(new Set(ads.map(({ bannerId }) => bannerId)).size).toBe(ads.length)
          for (const { bannerId } of ads) taken.add(bannerId)
          shownInAll += ads.length
        }
      },
    ),
    // The world is kept from run to run, so a failure cannot be shrunk.
    { numRuns: tries(600, 6_000), endOnFailure: true },
  )
  // The generated campaigns and requests must match often enough.
  expect(shownInAll).toBeGreaterThan(1000)
})
