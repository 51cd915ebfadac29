import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Counters, CountersMoved, CountersUnavailable } from '../../../infra/counters/port.ts'
import type { AdEvent } from '../../../schemas/records/events.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { createJudgeStep } from '../../../streams/judge/judge.ts'
import { tries } from '../../effort.ts'
import { memoryLog } from '../spend-checkpoints/memory-log.ts'
import { eventOf, NOON, recordsOf, snapshotOf } from './fixtures.ts'
import { lossyCounters } from './lossy-counters.ts'

const SHARDS = 3
const snapshot = snapshotOf({
  clicks: { budgetMicros: 3_000 },
  viewed: { kind: 'DISPLAY', budgetMicros: 4, capping: 3 },
})

const anyEvent = fc
  .record({
    campaignId: fc.constantFrom('clicks', 'viewed'),
    type: fc.constantFrom('VIEW', 'CLICK'),
    requestId: fc.nat(12).map((n) => `r${n}`),
    cid: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    address: fc.constantFrom(null, 'x', 'y'),
    later: fc.nat(90),
  })
  .map(({ campaignId, requestId, address, later, ...event }) => {
    const client =
      address === null ? UNKNOWN_CLIENT : { ...UNKNOWN_CLIENT, addressHash: address, networkHash: `${address} net` }
    const claims = { campaignId, requestId, priceMicros: 700, kind: campaignId === 'viewed' ? 'DISPLAY' : 'SPONSORED' }
    return eventOf({ ...event, ...client, occurredAt: NOON + later * 60_000 }, claims as Parameters<typeof eventOf>[1])
  })

/** What happens to one store after the other: it fails with or without effect, or somebody else was quicker. */
const anyFaults = fc.array(fc.constantFrom('NONE', 'NONE', 'BEFORE', 'AFTER', 'MOVED'), { maxLength: 40 })

/** Counters whose stores fail as they are told. */
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

/** Judges batches of these sizes, each until it is done. The sizes of what is tried again differ. */
async function judgeAll(events: readonly AdEvent[], sizes: readonly number[], faults: readonly string[]) {
  const counters = lossyCounters(SHARDS)
  const step = createJudgeStep({
    log: memoryLog(SHARDS),
    counters: faulty(counters, faults),
    snapshot,
    now: () => NOON,
  })
  const verdicts: string[] = []
  for (let turn = 0; verdicts.length < events.length; turn++) {
    const from = verdicts.length
    const records = recordsOf(events.slice(from, from + sizes[turn % sizes.length]!), from)
    const batch = { topic: 'ad-events', partition: 0, records, lastOffset: records.at(-1)!.offset } as const
    try {
      const { outputs } = await step({ ...batch, committed: from === 0 ? null : from })
      for (const { value } of outputs!) {
        const { verdict, invalidReason, billedMicros, marks } = decode('JudgedEvent', value!)
        verdicts.push([invalidReason ?? verdict, billedMicros, ...marks].join())
      }
    } catch (error) {
      if (!(error instanceof CountersUnavailable || error instanceof CountersMoved)) throw error
    }
  }
  return { verdicts, held: counters.held() }
}

test('every counter of every shard counts once, whatever becomes of each store and however batches are cut again', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { minLength: 1, maxLength: 60 }),
      sizes,
      anyFaults,
      async (events, cuts, faults) => {
        const undisturbed = await judgeAll(events, cuts, [])
        const disturbed = await judgeAll(events, cuts, faults)
        expect(disturbed).toEqual(undisturbed)
      },
    ),
    { numRuns: tries(150, 3_000) },
  )
})
