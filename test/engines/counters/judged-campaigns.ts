import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Counters } from '../../../infra/counters/port.ts'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { EngineUnavailable } from '../../../infra/engine-unavailable.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { AdEvent, JudgedEvent } from '../../../schemas/records/events.ts'
import { topics } from '../../../schemas/topics.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { readPages } from '../../../streams/runtime/pages.ts'
import { createPeriodic } from '../../../streams/runtime/periodic.ts'
import { eventOf, RULES_OFF, SHOP_ID, snapshotOf } from '../../streams/judge/fixtures.ts'

export const SHARDS = topics['ad-events'].partitions
const PRICE = 7
const BUDGET = 200 * PRICE
const CAP = 3
const PEOPLE = 10
/** Events of each kind that a campaign gets in a round. */
const ROUND = 5
/** Enough for every campaign to spend its budget, however few rounds a slow machine has sent by then. */
const ROUNDS_MIN = BUDGET / PRICE / ROUND + 1
const CAMPAIGNS = 8
/** The share of events that are sent a second time. */
const REPEATED = 1 / 10
const silent = { info() {}, warn() {}, error() {} }

/** Campaigns with a budget and a cap, and a judge of their events with counters in a Redis of any form. */
export interface JudgedCampaigns {
  readonly counters: Counters
  /** Micros spent by each campaign, as the counters say now. */
  spends(): Promise<number[]>
  /** Sends clicks and views of every campaign, and repeats some of the earlier ones. */
  send(): Promise<void>
  /** Sends until the work is done, and once more after it. */
  sendDuring<T>(work: Promise<T>): Promise<T>
  /** Sends what is missing to spend every budget. Resolves when every event is judged and the counters are complete. */
  judged(): Promise<void>
  /** Checks that every event was judged once, every budget was billed and every cap was filled, and that neither was exceeded. */
  check(): Promise<void>
  stop(): Promise<void>
}

/** @param url the address of an empty Redis. */
export async function startJudging(url: string, folder: string): Promise<JudgedCampaigns> {
  const ids = Array.from({ length: CAMPAIGNS }, (_, i) => `campaign ${i}`)
  const snapshot = snapshotOf(Object.fromEntries(ids.map((id) => [id, { budgetMicros: BUDGET, capping: CAP }])))
  const shop = snapshot.get('Shop', SHOP_ID)!
  snapshot.apply({ ...shop, kind: 'Shop', version: 2, body: { ...shop.body, invalidTraffic: RULES_OFF } })
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const counters = connectRedis({ url, namespace: 'n', shards: SHARDS })
  const deps = { log, counters, snapshot, now: Date.now }
  const judge = createJudge({ ...deps, logger: silent, retry: { firstMs: 10, maxMs: 50 } })
  const turn = createCountersRepair(deps)
  const keeper = createPeriodic({ name: 'counters', turn, pauseMs: 20, now: Date.now, logger: silent })
  void judge.run()
  void keeper.run()

  const sent: AdEvent[] = []
  let repeated = 0
  let rounds = 0
  const spends = () => counters.read(ids.map((id) => spendKey(shardOf(id, SHARDS), id)))

  const world: JudgedCampaigns = {
    counters,
    spends,
    async send() {
      const at = Date.now()
      rounds++
      const events = ids.flatMap((campaignId) =>
        (['CLICK', 'VIEW'] as const).flatMap((type) =>
          Array.from({ length: ROUND }, (_, i) => {
            const cid = `person ${(rounds + i) % PEOPLE}`
            return eventOf({ type, cid, occurredAt: at }, { campaignId, cid, priceMicros: PRICE, emittedAt: at })
          }),
        ),
      )
      const again = sent.slice(-events.length).filter((_, i) => i % (1 / REPEATED) === 0)
      sent.push(...events)
      repeated += again.length
      await log.append(
        [...again, ...events].map((event) => {
          return { topic: 'ad-events' as const, key: event.claims.campaignId, value: encode('AdEvent', event) }
        }),
      )
    },
    async sendDuring(work) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      while (!isDone) {
        await world.send()
        await delay(50)
      }
      await world.send()
      return done
    },
    async judged() {
      while (rounds < ROUNDS_MIN) await world.send()
      while ((await judge.lag()).some(({ records }) => records > 0)) await delay(20)
      while (!(await answered(() => counters.complete())).every(Boolean)) await delay(20)
    },
    async check() {
      const judged: JudgedEvent[] = []
      for (const { partition, end } of await log.bounds('judged-events')) {
        const pages = readPages(log, 'judged-events', partition, { from: 0, to: end, pageRecords: 1_000 })
        for await (const page of pages) judged.push(...page.map(({ value }) => decode('JudgedEvent', value!)))
      }
      expect(judged).toHaveLength(sent.length + repeated)
      expect(new Set(judged.map((event) => `${event.sourcePartition}/${event.sourceOffset}`)).size).toBe(judged.length)
      expect(judged.filter(({ verdict }) => verdict === 'DUPLICATE')).toHaveLength(repeated)
      const valid = judged.filter(({ verdict }) => verdict === 'VALID')
      for (const id of ids) {
        const ofCampaign = valid.filter(({ claims }) => claims.campaignId === id)
        expect(ofCampaign.reduce((sum, { billedMicros }) => sum + billedMicros, 0)).toBe(BUDGET)
        const views = Map.groupBy(
          ofCampaign.filter(({ type }) => type === 'VIEW'),
          ({ cid }) => cid,
        )
        expect([...views.values()].map(({ length }) => length)).toEqual(Array(PEOPLE).fill(CAP))
      }
      expect(await spends()).toEqual(ids.map(() => BUDGET))
    },
    async stop() {
      await Promise.all([judge.stop(), keeper.stop()])
      await counters.close()
      await log.close()
    },
  }
  return world
}

/** Repeats a question until Redis answers. */
export async function answered<T>(question: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await question()
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      await delay(20)
    }
  }
}
