import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Counters, CountersMoved, CountersUnavailable } from '../../../infra/counters/port.ts'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudgeStep } from '../../../streams/judge/judge.ts'
import { tries } from '../../effort.ts'
import { memoryLog } from '../spend-checkpoints/memory-log.ts'
import { eventOf, NOON, RULES_OFF, recordsOf, SHOP_ID, snapshotOf } from './fixtures.ts'
import { lossyCounters } from './lossy-counters.ts'
import { untilDone } from './until-done.ts'

const SHARDS = 3
const OTHER_SHOP_ID = 'bbbbbbbb-1111-4111-8111-111111111111'
const snapshot = snapshotOf({
  clicks: { budgetMicros: 3_000 },
  viewed: { kind: 'DISPLAY', budgetMicros: 4, capping: 3 },
})
const shop = snapshot.getEver('Shop', SHOP_ID)!
snapshot.apply({
  ...shop,
  id: OTHER_SHOP_ID,
  body: {
    ...shop.body,
    timeZone: 'Asia/Tokyo',
    invalidTraffic: [
      { rule: 'CID_VIEWS', mode: 'MARK', max: 2 },
      { rule: 'ADDRESS_PEOPLE', mode: 'REFUSE', max: 1 },
    ],
  },
})

/**
 * Terms without rules against invalid traffic: a recount decides who is new by what other shards hold, which may differ from what
 * the judge saw.
 */
const lenient = snapshotOf({
  clicks: { budgetMicros: 3_000 },
  viewed: { kind: 'DISPLAY', budgetMicros: 4, capping: 3 },
})
for (const id of [SHOP_ID, OTHER_SHOP_ID]) {
  lenient.apply({ ...shop, id, version: 2, body: { ...shop.body, invalidTraffic: RULES_OFF } })
}

/** Few enough names that the same ones occur in several shops and roles. */
const anyName = fc.constantFrom('a', 'b', 'c', 'd', 'zażółć')
const anyNameOrNone = fc.option(anyName, { freq: 3 })
const anyEvent = fc
  .record({
    campaignId: fc.constantFrom('clicks', 'viewed'),
    shopId: fc.constantFrom(SHOP_ID, OTHER_SHOP_ID),
    adUnitId: anyName,
    type: fc.constantFrom('VIEW', 'CLICK'),
    requestId: fc.nat(12).map((n) => `r${n}`),
    cid: anyName,
    claimedCid: fc.option(anyName, { freq: 1 }),
    uid: fc.constantFrom(null, null, 'a'),
    addressHash: anyNameOrNone,
    agentHash: anyNameOrNone,
    networkHash: anyNameOrNone,
    laterMinutes: fc.nat(150),
  })
  .map(({ campaignId, shopId, adUnitId, requestId, claimedCid, laterMinutes, ...event }) => {
    const kind = campaignId === 'viewed' ? ('DISPLAY' as const) : ('SPONSORED' as const)
    const claims = { campaignId, shopId, adUnitId, requestId, kind, priceMicros: 700, cid: claimedCid ?? event.cid }
    return eventOf(
      { ...UNKNOWN_CLIENT, ...event, occurredAt: NOON + laterMinutes * 60_000 } as Partial<AdEvent>,
      claims,
    )
  })

/** The fault of one store after the other: it fails with or without effect, or another process stored first. */
const anyFaults = fc.array(fc.constantFrom('NONE', 'NONE', 'BEFORE', 'AFTER', 'MOVED'), { maxLength: 40 })

/** Counters whose stores fail as given. */
function faulty(counters: Counters, faults: readonly string[]): Counters {
  const next = faults.values()
  return {
    ...counters,
    async store(change) {
      const fault = next.next().value ?? 'NONE'
      if (fault === 'BEFORE') throw new CountersUnavailable('before')
      await counters.store(change)
      if (fault === 'AFTER') throw new CountersUnavailable('after')
      if (fault === 'MOVED') throw new CountersMoved('stored by somebody else')
    },
  }
}

/** Sets one shard back to a share of its past before a batch; null to set none back. */
const anySetBacks = fc.array(
  fc.option(fc.record({ shard: fc.nat(SHARDS - 1), share: fc.double({ min: 0, max: 1, noNaN: true }) }), { freq: 2 }),
  { maxLength: 40 },
)
type SetBack = { shard: number; share: number } | null

interface Disturbances {
  faults?: readonly string[]
  setBacks?: readonly SetBack[]
  rules?: typeof snapshot
}

/** Judges batches of these sizes, each until it is done. A retried batch has another size. */
async function judgeAll(
  events: readonly AdEvent[],
  sizes: readonly number[],
  { faults = [], setBacks = [], rules = snapshot }: Disturbances = {},
) {
  const counters = lossyCounters(SHARDS)
  const log = memoryLog(SHARDS)
  const deps = { log, counters: faulty(counters, faults), snapshot: rules, now: () => NOON }
  const step = createJudgeStep(deps)
  const verdicts: string[] = []
  let isDone = true
  for (let turn = 0; verdicts.length < events.length; turn++) {
    const from = verdicts.length
    const setBack = isDone ? setBacks[turn] : null
    isDone = false
    if (setBack) counters.setBack(setBack.shard, Math.floor(setBack.share * (counters.moments - 1)))
    const records = recordsOf(events.slice(from, from + sizes[turn % sizes.length]!), from)
    const batch = { topic: 'ad-events', partition: 0, records, lastOffset: records.at(-1)!.offset } as const
    try {
      const { outputs } = await step({ ...batch, turn: async () => (from === 0 ? null : from) })
      log.commit({ topic: 'ad-events', partition: 0, offset: from + records.length })
      isDone = true
      for (const output of outputs!) {
        log.appendTo(0, output)
        const { verdict, invalidReason, billedMicros, marks } = decode('JudgedEvent', output.value!)
        verdicts.push([invalidReason ?? verdict, billedMicros, ...marks].join())
      }
    } catch (error) {
      if (!(error instanceof CountersUnavailable || error instanceof CountersMoved)) throw error
    }
  }
  if (setBacks.length > 0) await untilDone(createCountersRepair({ ...deps, counters }))
  // A value that was added and taken away again in one batch is not stored at all.
  const held = Object.entries(counters.held()).filter(([, value]) => value !== 0)
  return { verdicts, held: Object.fromEntries(held) }
}

const anySizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 6 })
const anyEvents = fc.array(anyEvent, { minLength: 1, maxLength: 60 })

test('every counter of every shard counts once, whatever becomes of each store and however batches are cut again', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, anySizes, anyFaults, async (events, cuts, faults) => {
      const undisturbed = await judgeAll(events, cuts)
      const disturbed = await judgeAll(events, cuts, { faults })
      expect(disturbed).toEqual(undisturbed)
    }),
    { numRuns: tries(150, 3_000) },
  )
})

test('events of several shops that share names are judged together as they are one by one', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, anySizes, async (events, cuts) => {
      const together = await judgeAll(events, cuts)
      const oneByOne = await judgeAll(events, [1])
      expect(together).toEqual(oneByOne)
    }),
    { numRuns: tries(150, 3_000) },
  )
})

test('a shard that is set back, while others stand, is counted again before anything is decided by it', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, anySizes, anySetBacks, async (events, cuts, setBacks) => {
      const undisturbed = await judgeAll(events, cuts, { rules: lenient })
      const disturbed = await judgeAll(events, cuts, { rules: lenient, setBacks })
      expect(disturbed.verdicts).toEqual(undisturbed.verdicts)
      expect(exactly(disturbed.held)).toEqual(exactly(undisturbed.held))
    }),
    { numRuns: tries(150, 3_000) },
  )
})

/** Leaves out the windows against invalid traffic. */
const exactly = (held: Record<string, number>) =>
  Object.fromEntries(Object.entries(held).filter(([key]) => !key.includes('"window/')))
