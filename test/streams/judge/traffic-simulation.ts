import type { AdEvent, JudgedEvent } from '../../../schemas/records/events.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import { type TrafficRules, trafficRulesOf } from '../../../services/domain/traffic-rules.ts'
import { BatchCounters } from '../../../streams/judge/batch-counters.ts'
import { carryOut, decide } from '../../../streams/judge/step.ts'
import { trafficTermsOf } from '../../../streams/judge/traffic.ts'
import { campaignLimits, judgement, judgingStep } from '../../../streams/judge/verdict.ts'
import { DAY_MS, eventOf, HOUR_MS } from './fixtures.ts'

/** Simulated traffic of a shop and its attackers, and how it is judged. */
export const START = Date.UTC(2026, 2, 9)
const MINUTE_MS = 60_000
const AGENTS = 12

export interface Visit {
  address: string
  network: string
  agent: number
}

export const visitOf = (address: string, network: string, agent = 0): Visit => ({ address, network, agent })

/** Hashes as the intake makes them: different ones each day. */
function hashesOf({ address, network, agent }: Visit, at: number) {
  const day = Math.floor(at / DAY_MS)
  return {
    addressHash: `${address}@${day}`,
    previousAddressHash: at % DAY_MS < 2 * HOUR_MS ? `${address}@${day - 1}` : null,
    networkHash: `${network}@${day}`,
    agentHash: `${network}/${agent}@${day}`,
  }
}

export function touch(
  type: AdEvent['type'],
  at: number,
  {
    cid,
    requestId,
    adId,
    emittedAt,
    visit,
  }: { cid: string; requestId: string; adId: string; emittedAt: number; visit: Visit },
): AdEvent {
  return eventOf(
    { type, cid, occurredAt: at, ...hashesOf(visit, at) },
    { cid, requestId, adId, emittedAt, priceMicros: 1 },
  )
}

/** Weights by hour of the day: quiet nights, busy evenings. */
const HOURS = [2, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 8, 10, 10, 8, 6, 4]
const HOURS_SUM = HOURS.reduce((sum, weight) => sum + weight)

export interface ShopOptions {
  visitsPerDay: number
  days: number
  seed: number
  /** The share of the shoppers who are behind one address. */
  carrierShare: number
}

/**
 * The views and clicks of honest shoppers. Four of ten visits are by people who come back, one in six of whom has lost the cid. A
 * visit has five pages of six ads each. Three of two hundred viewed ads are clicked, far more by some people. Four of a hundred
 * views are never reported.
 */
export function honestTraffic({ visitsPerDay, days, seed, carrierShare }: ShopOptions): AdEvent[] {
  const random = sequence(seed).next
  const pick = (count: number) => Math.floor(random() * count)
  const events: AdEvent[] = []
  const regulars = Array.from({ length: visitsPerDay }, (_, i) => personOf(`regular-${i}`))
  let ids = 0

  function personOf(cid: string) {
    const network = `network-${pick(3_000)}`
    const isOfCarrier = random() < carrierShare
    const visit = isOfCarrier
      ? visitOf('carrier', 'carrier', Math.floor(random() ** 2 * AGENTS))
      : visitOf(`${network}.${pick(254)}`, network, Math.floor(random() ** 2 * AGENTS))
    // The mean is 1.5 %. One person in fifty clicks one ad in ten.
    return { cid, visit, clickRate: random() < 0.02 ? 0.1 : 0.0265 * random() }
  }

  function timeOfVisit(day: number): number {
    let left = random() * HOURS_SUM
    let hour = 0
    while (left >= HOURS[hour]!) left -= HOURS[hour++]!
    return START + day * DAY_MS + hour * HOUR_MS + random() * HOUR_MS
  }

  for (let day = 0; day < days; day++) {
    for (let n = 0; n < visitsPerDay; n++) {
      const person = random() < 0.4 ? regulars[pick(regulars.length)]! : personOf(`guest-${++ids}`)
      const cid = random() < 1 / 6 ? `lost-${++ids}` : person.cid
      let at = timeOfVisit(day)
      do {
        const requestId = `honest-${++ids}`
        for (let ad = 0; ad < 6; ad++) {
          const shown = { cid, requestId, adId: `ad-${ad}`, emittedAt: Math.floor(at), visit: person.visit }
          const seenAt = Math.floor(at + 800 + random() * 20_000)
          if (random() >= 0.04) events.push(touch('VIEW', seenAt, shown))
          if (random() < person.clickRate)
            events.push(touch('CLICK', Math.floor(seenAt + 700 + random() * 15_000), shown))
        }
        at += 20_000 + random() * 60_000
      } while (random() < 0.8)
    }
  }
  return events
}

export interface AttackOptions {
  visits: readonly Visit[]
  /** The number of clicks of each address. */
  clicks: number
  everyMs: number
  /** The number of views of the same request before its click. */
  views: number
  startAt: number
}

/** Clicks with a new cid each, at the moment of the emission or, with views, some seconds later. */
export function attack({ visits, clicks, everyMs, views, startAt }: AttackOptions): AdEvent[] {
  return visits.flatMap((visit, v) =>
    Array.from({ length: clicks }, (_, n) => {
      const emittedAt = startAt + n * everyMs
      const shown = { cid: `attacker-${v}-${n}`, requestId: `attack-${startAt}-${v}-${n}`, emittedAt, visit }
      const viewed = Array.from({ length: views }, (_, ad) =>
        touch('VIEW', emittedAt + 1_500, { ...shown, adId: `ad-${ad}` }),
      )
      return [...viewed, touch('CLICK', emittedAt + (views > 0 ? 4_000 : 20), { ...shown, adId: 'ad-0' })]
    }).flat(),
  )
}

/** Each of `people` views an ad, and more than an hour later views five ads and clicks one of them, all of them within fifty minutes. */
export function returningAttack({
  visit,
  people,
  startAt,
}: {
  visit: Visit
  people: number
  startAt: number
}): AdEvent[] {
  return Array.from({ length: people }, (_, n) => {
    const first = startAt + n * 100
    const again = startAt + 70 * MINUTE_MS + Math.floor((n * 50 * MINUTE_MS) / people)
    const shown = { cid: `attacker-${n}`, requestId: `attack-${startAt}-${n}`, emittedAt: first, visit }
    const later = { ...shown, requestId: `again-${startAt}-${n}`, emittedAt: again }
    const viewed = Array.from({ length: 5 }, (_, ad) => touch('VIEW', again + 1_500, { ...later, adId: `ad-${ad}` }))
    const clicked = touch('CLICK', again + 4_000, { ...later, adId: 'ad-0' })
    return [touch('VIEW', first + 1_500, { ...shown, adId: 'ad-0' }), ...viewed, clicked]
  }).flat()
}

/** Judges events in the order of their times. */
export function judgeAll(events: readonly AdEvent[], rules: TrafficRules = trafficRulesOf([])) {
  const counters = new BatchCounters({ source: 'ad-events/0', own: 0, shards: [0], now: () => 0 })
  const limits = campaignLimits({ capping: null, budgetMicros: 1e12, dailyBudgetMicros: null })
  const terms = { capping: null, timeZone: 'UTC', traffic: trafficTermsOf(rules), limits }
  const inOrder = [...events].sort((a, b) => a.receivedAt - b.receivedAt)
  return inOrder.map((event, offset) => {
    const step = judgingStep(event, { shard: 0, shards: 1 }, terms, counters)
    const decision = decide(step, counters)
    counters.at(offset)
    carryOut(step, decision, counters)
    return { ...event, ...judgement(event, decision)! }
  })
}

type Judged = AdEvent & Pick<JudgedEvent, 'verdict' | 'invalidReason' | 'marks'>

/** The most billed clicks of one address in any hour. */
export function mostBilledInAnHour(judged: readonly Judged[], addressOf: (event: Judged) => string): number {
  const billed = judged.filter(({ type, verdict }) => type === 'CLICK' && verdict === 'VALID')
  let most = 0
  for (const times of Map.groupBy(billed, addressOf).values()) {
    const at = times.map(({ receivedAt }) => receivedAt)
    for (const [i, from] of at.entries()) {
      const until = at.findIndex((time, j) => j > i && time - from >= HOUR_MS)
      most = Math.max(most, (until < 0 ? at.length : until) - i)
    }
  }
  return most
}

export function lossOf(judged: readonly Judged[], isCounted: (event: Judged) => boolean) {
  const clicks = judged.filter((event) => event.type === 'CLICK' && isCounted(event))
  const lost = clicks.filter(({ verdict }) => verdict !== 'VALID')
  const reasons = Object.fromEntries(
    [...Map.groupBy(lost, ({ verdict, invalidReason }) => invalidReason ?? verdict)].map(([name, of]) => [
      name,
      of.length,
    ]),
  )
  return { clicks: clicks.length, lost: lost.length, share: lost.length / Math.max(1, clicks.length), reasons }
}

export const isAttacker = ({ cid }: AdEvent): boolean => cid.startsWith('attacker')
export const isOfCarrier = ({ addressHash }: AdEvent): boolean => addressHash?.startsWith('carrier') ?? false
/** The address of an event, without the day. */
export const addressOf = ({ addressHash }: AdEvent): string => addressHash!.split('@')[0]!

/** The clicks billed to an attacker, and the clicks that honest people lose. */
export function fraudFigures({ visitsPerDay, days, seed }: { visitsPerDay: number; days: number; seed: number }) {
  const at = START + 20 * HOUR_MS
  const spread = Array.from({ length: 30 }, (_, i) => visitOf(`farm-${i}`, `farm-net-${i}`))
  const attacks = {
    'one address, 120 clicks in 3.4 s': { visits: [visitOf('x', 'x')], clicks: 120, everyMs: 28, views: 0 },
    'one address, a click a minute for a day': {
      visits: [visitOf('x', 'x')],
      clicks: 1_440,
      everyMs: MINUTE_MS,
      views: 0,
    },
    '30 addresses, a click every 5 minutes for a day': {
      visits: spread,
      clicks: 288,
      everyMs: 5 * MINUTE_MS,
      views: 0,
    },
    'the same with the views of each page': { visits: spread, clicks: 288, everyMs: 5 * MINUTE_MS, views: 10 },
  }
  const events = Object.entries(attacks).map(([name, options]) => [name, attack({ ...options, startAt: at })] as const)
  const returning = returningAttack({ visit: visitOf('x', 'x'), people: 1_000, startAt: at })
  const shop = honestTraffic({ visitsPerDay, days, seed, carrierShare: 0.1 })
  const honest = judgeAll(shop)
  return {
    billed: [...events, ['1,000 cids that come back, five views each', returning] as const].map(([name, sent]) => {
      const judged = judgeAll(sent)
      return { name, clicks: lossOf(judged, isAttacker).clicks, inAnHour: mostBilledInAnHour(judged, addressOf) }
    }),
    honest: lossOf(honest, () => true),
    carrier: lossOf(honest, isOfCarrier),
    others: lossOf(honest, (event) => !isOfCarrier(event)),
    firstHours: lossOf(honest, (event) => event.receivedAt < START + 3 * HOUR_MS),
  }
}
