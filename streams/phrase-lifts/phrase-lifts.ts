import { hash } from 'node:crypto'
import type { Analytics, QueryParams } from '../../infra/analytics/port.ts'
import {
  countPhraseDaySql,
  type DueDay,
  dayCountedSql,
  newClicksSql,
  type PhraseRow,
  type PlaceRow,
  type ProductRow,
  phraseResponsesSql,
  placesSql,
  productResponsesSql,
  uncountedDaysSql,
} from '../../infra/analytics/queries/signals/phrase-days.ts'
import type { Commit, EventLog, NewRecord } from '../../infra/event-log/port.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import type { PhraseLifts } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import { chunksBySize, chunksOf } from '../../services/domain/chunks.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { createCatchUp } from '../../services/replicas/catch-up.ts'
import { liftsKey } from '../../services/replicas/lifts-follower.ts'
import { newRanges, newRowsIn } from '../attribution/ranges.ts'
import { createForgetting } from '../signals/forgetting.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import {
  liftsOf,
  PHRASE_CLICKS_MIN,
  PHRASES_MAX,
  POSITIONS_MAX,
  PRODUCTS_MAX,
  PURCHASE_RESPONSES,
  placeRates,
  SHOP_CLICKS_MIN,
  strengthsOf,
} from './lift-model.ts'

/** The topics whose rows are counted. */
const TOPICS: readonly string[] = ['judged-events', 'corrections']
/** Nothing is learnt from what happened longer ago. */
const WINDOW_DAYS = 60
/** Age at which a click counts half: what people want changes with the season. */
const HALF_LIFE_DAYS = 30
/** At this age a day is counted again, because the purchases that followed its clicks have come by then. */
const PURCHASES_AFTER_DAYS = 8
/** Smaller changes are not worth a record. */
const SIGNIFICANT_DIGITS = 2
const RECORDS_PER_APPEND = 500
/** New clicks of shops that are counted together, unless a single shop has more: the shops' views must fit in the store's memory. */
const CLICKS_AT_ONCE = 5_000

export interface PhraseLiftsDeps {
  log: Pick<EventLog, 'append' | 'bounds' | 'committed' | 'tail'>
  analytics: Analytics
  snapshot: Snapshot
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Learns, once a day, which products of each shop are clicked after which words, and appends what changed to `phrase-lifts`. A day
 * is counted when it is over, again when clicks of it come late or are voided, and once more when the purchases have come. When many
 * clicks come together, as by an import, they are learnt from without waiting for the next day. The function that is returned makes
 * one turn. Only one process may run it.
 */
export function createPhraseLifts({ log, analytics, snapshot, now }: PhraseLiftsDeps): () => Promise<void> {
  const forgetDays = createForgetting(analytics, 'phrase_days')
  /** By shop, then by phrase: digest of the lifts in the topic. */
  const known = new Map<string, Map<number, string>>()
  const catchUp = createCatchUp(log, 'phrase-lifts', (records) => {
    for (const { value, key } of records) {
      const [shopId, phrase] = key!.split('/')
      note(known, shopId!, Number(phrase), value && digestOf(decode('PhraseLifts', value).lifts))
    }
  })
  /** The offsets before which the sink's rows have been looked at. Null at first: then the tables tell which days are not counted. */
  let readTo: readonly Commit[] | null = null
  /** By shop, then by day: how many new clicks nothing has been learnt from yet. */
  const due = new Map<string, Map<number, number>>()
  /** By shop: the day on which it was learnt from last. */
  const learntOn = new Map<string, number>()

  /** Notes the days whose clicks have changed. Without new rows the tables are not queried. */
  async function noteDue(since: number): Promise<void> {
    const stored = (await log.committed(SINK_GROUP)).filter(({ topic }) => TOPICS.includes(topic))
    const ranges = readTo && newRanges(stored, readTo)
    const sql = ranges ? newClicksSql(newRowsIn(ranges)) : uncountedDaysSql
    for (const { shopId, day, clicks } of sql ? await analytics.query<DueDay>(sql, { since }) : []) {
      const days = due.get(shopId) ?? new Map<number, number>()
      due.set(shopId, days.set(day, (days.get(day) ?? 0) + clicks))
    }
    readTo = stored
  }

  /** The days of a shop to count now. */
  function daysToCount(shopId: string, today: number): number[] {
    const past = [...(due.get(shopId) ?? [])].filter(([day]) => day < today)
    const isImport = past.reduce((sum, [, clicks]) => sum + clicks, 0) >= SHOP_CLICKS_MIN
    if (learntOn.get(shopId) === today && !isImport) return []
    const again = learntOn.get(shopId) === today ? [] : [today - PURCHASES_AFTER_DAYS]
    return past.length === 0 ? [] : [...new Set([...past.map(([day]) => day), ...again])].sort((x, y) => x - y)
  }

  async function countDay(day: number, shopIds: readonly string[], today: number): Promise<void> {
    const counted = { shopIds, day, fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS, countedOn: today }
    await analytics.command(countPhraseDaySql, { ...counted, positionsMax: POSITIONS_MAX })
    await analytics.command(dayCountedSql, counted)
  }

  /** Learns the lifts of each shop. */
  async function learn(shopIds: readonly string[], today: number): Promise<Map<string, Learnt>> {
    const window = { sinceDay: today - WINDOW_DAYS, today, halfLifeDays: HALF_LIFE_DAYS }
    const counted = { ...window, purchaseResponses: PURCHASE_RESPONSES }
    const places = await analytics.query<PlaceRow>(placesSql, { ...counted, shopIds })
    const learnt = new Map<string, Learnt>(shopIds.map((shopId) => [shopId, new Map()]))
    for (const [shopId, ofShop] of Map.groupBy(places, ({ shopId }) => shopId)) {
      if (ofShop.reduce((sum, { clicks }) => sum + clicks, 0) < SHOP_CLICKS_MIN) continue
      learnt.set(shopId, await learnPhrases({ ...counted, shopIds: [shopId], rates: placeRates(ofShop) }))
    }
    return learnt
  }

  async function learnPhrases(params: QueryParams): Promise<Learnt> {
    const strengths = strengthsOf(await analytics.query<ProductRow>(productResponsesSql, params))
    const phrases = await analytics.query<PhraseRow>(phraseResponsesSql, {
      ...params,
      ...{ phraseClicksMin: PHRASE_CLICKS_MIN, phrasesMax: PHRASES_MAX, productsMax: PRODUCTS_MAX },
    })
    return new Map(
      phrases.flatMap(({ phrase, ids, responses, expected }) => {
        const products = ids.map((id, at) => ({ id, responses: responses[at]!, expected: expected[at]! }))
        const lifts = liftsOf(products, strengths).map(({ id, lift }) => ({ id, lift: rounded(lift) }))
        return lifts.length === 0 ? [] : [[phrase, lifts] as const]
      }),
    )
  }

  async function publish(shopId: string, learnt: Learnt): Promise<void> {
    const ofShop = known.get(shopId) ?? new Map<number, string>()
    const records: NewRecord[] = []
    for (const phrase of new Set([...learnt.keys(), ...ofShop.keys()])) {
      const lifts = learnt.get(phrase)
      const digest = lifts ? digestOf(lifts) : null
      if (digest === (ofShop.get(phrase) ?? null)) continue
      const value = lifts ? encode('PhraseLifts', { shopId, phrase, lifts, computedAt: now() }) : null
      records.push({ topic: 'phrase-lifts', key: liftsKey(shopId, phrase), value })
    }
    for (const chunk of chunksOf(records, RECORDS_PER_APPEND)) await log.append(chunk)
  }

  return async function runOnce() {
    const today = Math.floor(now() / DAY_MS)
    await noteDue((today - WINDOW_DAYS) * DAY_MS)
    await forgetDays(today - WINDOW_DAYS)
    const toCount = Array.from(snapshot.all('Shop'), ({ id }) => ({ shopId: id, days: daysToCount(id, today) }))
    const clicksOf = ({ shopId }: { shopId: string }) =>
      due
        .get(shopId)!
        .values()
        .reduce((sum, clicks) => sum + clicks, 0)
    const shops = toCount.filter(({ days }) => days.length > 0)
    if (shops.length > 0) await catchUp()
    for (const some of chunksBySize(shops, clicksOf, CLICKS_AT_ONCE)) {
      const pairs = some.flatMap(({ shopId, days }) => days.map((day) => ({ shopId, day })))
      for (const [day, ofDay] of Map.groupBy(pairs, ({ day }) => day)) {
        await countDay(
          day,
          ofDay.map(({ shopId }) => shopId),
          today,
        )
      }
      const shopIds = some.map(({ shopId }) => shopId)
      const learnt = await learn(shopIds, today)
      for (const { shopId, days } of some) {
        await publish(shopId, learnt.get(shopId)!)
        learntOn.set(shopId, today)
        for (const day of days) due.get(shopId)!.delete(day)
      }
    }
  }
}

/** The lifts of each phrase. */
type Learnt = ReadonlyMap<number, PhraseLifts['lifts']>

const rounded = (lift: number): number => Number(lift.toPrecision(SIGNIFICANT_DIGITS))

function digestOf(lifts: PhraseLifts['lifts']): string {
  const pairs = lifts.map(({ id, lift }) => [id, lift]).sort()
  return hash('sha1', JSON.stringify(pairs), 'base64url')
}

/** @param digest null when the phrase has no lifts. */
function note(shops: Map<string, Map<number, string>>, shopId: string, phrase: number, digest: string | null): void {
  const phrases = shops.get(shopId) ?? new Map<number, string>()
  if (digest === null) phrases.delete(phrase)
  else phrases.set(phrase, digest)
  shops.set(shopId, phrases)
}
