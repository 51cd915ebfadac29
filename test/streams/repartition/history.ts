import type { Counters } from '../../../infra/counters/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { partitionOf } from '../../../infra/event-log/partitioner.ts'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { AdEvent, EventCorrection, JudgedEvent } from '../../../schemas/records/events.ts'
import { unitOf } from '../../../schemas/topics.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { dailySpendKey, spendKey } from '../../../services/domain/money/counter-keys.ts'
import type { Snapshot } from '../../../services/domain/snapshot.ts'
import { createCorrectionsStep } from '../../../streams/judge/corrections.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudgeStep } from '../../../streams/judge/judge.ts'
import { rebuildCounters } from '../../../streams/judge/recount.ts'
import { type PartitionControl, repartition } from '../../../streams/repartition/repartition.ts'
import { type DecodedRecord, decodeBatch } from '../../../streams/runtime/pipeline/outcome.ts'
import type { StreamStep } from '../../../streams/runtime/pipeline/pipeline.ts'
import { createSpendCheckpoints } from '../../../streams/spend-checkpoints/spend-checkpoints.ts'
import { NOON } from '../judge/fixtures.ts'
import { type LossyCounters, lossyCounters } from '../judge/lossy-counters.ts'
import { untilDone } from '../judge/until-done.ts'
import { memoryLog } from '../spend-checkpoints/memory-log.ts'

const UNIT = unitOf('ad-events')
const DAY = '2026-03-10'

/** Thrown when the command that adds partitions crashes. */
class Crashed extends Error {}

/** The log, the counters and everything that works between them, in memory. */
export function openHistory(snapshot: Snapshot, partitions: number) {
  const log = memoryLog(partitions)
  const now = () => NOON
  /** One set of counters for each number of shards, as in Redis. */
  const sets = new Map<number, LossyCounters>()
  const judged: JudgedEvent[] = []
  const voided = new Map<string, number>()
  /** The offsets before which the log may forget records, by partition. */
  let safe: { judged: number[]; corrections: number[] } = { judged: [], corrections: [] }
  let present = partitions

  function counters(shards = present): LossyCounters {
    const known = sets.get(shards) ?? lossyCounters(shards)
    sets.set(shards, known)
    return known
  }
  const deps = (of: Counters) => ({ log, counters: of, snapshot, now })

  /** Processes a topic as its stream does, storing outputs and position together. */
  async function workOff(topic: 'ad-events' | 'corrections', step: StreamStep): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = true
      for (const { partition, end } of await log.bounds(topic)) {
        const found = (await log.committed('any')).find((each) => each.topic === topic && each.partition === partition)
        const from = found?.offset ?? 0
        if (from >= end) continue
        isDone = false
        const read = await log.read(topic, partition, from, 100)
        const records = decodeBatch({ topic, partition, records: read }).records as DecodedRecord<unknown>[]
        const lastOffset = read.at(-1)!.offset
        const batch = { topic, partition, records, turn: async () => found?.offset ?? null, lastOffset }
        const { outputs = [] } = await untilDone(() => step(batch))
        await log.append(outputs)
        for (const output of outputs) {
          if (output.topic === 'judged-events') judged.push(decode('JudgedEvent', output.value!))
        }
        log.commit({ topic, partition, offset: lastOffset + 1 })
      }
    }
  }

  async function work(): Promise<void> {
    await workOff('ad-events', createJudgeStep(deps(counters())))
    await workOff('corrections', createCorrectionsStep(deps(counters())))
  }

  const repair = () => untilDone(() => createCountersRepair(deps(counters()))())

  /** The number of effects until a crash; null when there is no crash. */
  let effectsLeft: number | null = null
  async function effect<T>(make: () => T | Promise<T>): Promise<T> {
    if (effectsLeft !== null && effectsLeft-- <= 0) {
      effectsLeft = null
      throw new Crashed()
    }
    return make()
  }
  const control: PartitionControl = {
    counts: async () => {
      const counts = UNIT.map(async (topic) => [topic, (await log.bounds(topic)).length] as const)
      return new Map(await Promise.all(counts))
    },
    grow: async (growth) => {
      for (const [topic, to] of growth) await effect(() => log.grow(topic, to))
    },
    activeGroups: async () => [],
  }

  /** Runs the command once. */
  async function runRepartition(to: number): Promise<void> {
    await repartition(
      {
        control,
        log: { append: (records) => effect(() => log.append(records)) },
        counters: counters(),
        snapshot,
        finish: async () => {
          await effect(() => work())
          await effect(() => repair())
        },
        appendsSettled: async () => {},
        onStep() {},
      },
      new Map(UNIT.map((topic) => [topic, to])),
    )
    present = to
    await rebuildCounters(deps(counters()))
  }

  return {
    /** Appends events and judges them. */
    async takeIn(events: readonly AdEvent[]): Promise<void> {
      for (const event of events) {
        await log.append([recordOf(event)])
        await work()
      }
    },
    /** Appends an event as a process does that does not know about the new partitions yet. */
    async takeInLate(event: AdEvent, before: number): Promise<void> {
      const key = event.claims.campaignId
      log.appendTo(partitionOf(Buffer.from(key), before), recordOf(event))
      await work()
    },
    async voidEvent(which: number): Promise<void> {
      const valid = judged.filter(({ billedMicros, eventId }) => billedMicros > 0 && !voided.has(eventId))
      const event = valid[which % Math.max(1, valid.length)]
      if (!event) return
      voided.set(event.eventId, event.billedMicros)
      const { campaignId } = event.claims
      await log.append([{ topic: 'corrections', key: campaignId, value: encode('EventCorrection', voids(event)) }])
      await work()
    },
    async writeCheckpoints(): Promise<void> {
      await repair()
      await createSpendCheckpoints(deps(counters()))()
      const ends = async (topic: 'judged-events' | 'corrections') => (await log.bounds(topic)).map(({ end }) => end)
      safe = { judged: await ends('judged-events'), corrections: await ends('corrections') }
    },
    /** Forgets everything that the last checkpoints contain. */
    forget(): void {
      for (const [partition, before] of safe.judged.entries()) log.forget('judged-events', before, partition)
      for (const [partition, before] of safe.corrections.entries()) log.forget('corrections', before, partition)
      log.compact('spend-checkpoints')
    },
    /** @param share the share that is kept; 0 loses everything. */
    lose: (share: number) => counters().loseTo(Math.floor(share * (counters().moments - 1))),
    repair: () => repair(),
    /** @param crashes for each run of the command, the number of effects before it crashes. The last run is undisturbed. */
    async repartition(to: number, crashes: readonly number[], whileDown: () => void): Promise<void> {
      for (const effects of [...crashes, null]) {
        effectsLeft = effects
        try {
          return await runRepartition(to)
        } catch (error) {
          if (!(error instanceof Crashed)) throw error
          whileDown()
        }
      }
    },
    async outcome(campaignIds: readonly string[]) {
      await repair()
      const of = counters()
      const at = (id: string) => shardOf(id, of.shards)
      return {
        verdicts: judged.map(({ eventId, verdict, billedMicros }) => [eventId, verdict, billedMicros]),
        spend: await of.read(campaignIds.map((id) => spendKey(at(id), id))),
        daily: await of.read(campaignIds.map((id) => dailySpendKey(at(id), id, DAY))),
        owed: campaignIds.map((id) =>
          judged
            .filter(({ claims }) => claims.campaignId === id)
            .reduce((sum, { eventId, billedMicros }) => sum + billedMicros - (voided.get(eventId) ?? 0), 0),
        ),
      }
    },
    get partitions() {
      return present
    },
  }
}

const recordOf = (event: AdEvent): NewRecord => {
  return { topic: 'ad-events', key: event.claims.campaignId, value: encode('AdEvent', event) }
}

function voids({ eventId, type, cid, occurredAt, billedMicros, claims }: JudgedEvent): EventCorrection {
  const { shopId, campaignId, accountId } = claims
  return {
    ...{ correctionId: 'x', eventId, type, cid, occurredAt, shopId, campaignId, accountId, currency: 'PLN' },
    ...{ creditedMicros: billedMicros, reason: 'farm', correctedBy: 'operator', correctedAt: NOON },
  }
}
