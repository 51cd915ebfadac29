/**
 * How many judged events a second one process counts again, into empty counters. The events are spread evenly over the last 14
 * days, as in a usual log; or, in the worst case, all are of the last hour, so that everything that the rules against invalid
 * traffic count is counted too. The log has appended all of them just now, so that none is too old to be counted. Runs
 * on Kafka and Redis with KAFKA_BROKERS, otherwise embedded.
 *
 *     [KAFKA_BROKERS=127.0.0.1:19092] node test/bench/judging/recount.ts [events]
 */
import { shardOf } from '../../../infra/counters/shards.ts'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { AdEvent, JudgedEvent } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { JUDGE_GROUP } from '../../../streams/judge/recount/judged-up-to.ts'
import { reportFigure } from '../summary/figure.ts'
import { type Cost, costOf, type Judging, withJudging } from './engines.ts'
import { eventAt, snapshot } from './traffic.ts'

/**
 * With this many events, a page of 20,000 spans three of the 14 days. Each hour of a page is stored separately; pages of a larger
 * log span fewer hours.
 */
const EVENTS = Number(process.argv[2] ?? 1_000_000)
/** A program judges before it recounts, so it is measured after V8 has compiled its code. Before that, an event takes longer. */
const WARM_UP_EVENTS = 100_000
const APPENDED_AT_ONCE = 2_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Fills the log with this many events, then recounts them. */
async function recount(events: number, spanMs: number, { log, counters }: Judging): Promise<Cost> {
  const begin = Date.now() - spanMs
  const judged = judgedInOrder(counters.shards)
  for (let from = 0; from < events; from += APPENDED_AT_ONCE) {
    const records = Array.from({ length: Math.min(APPENDED_AT_ONCE, events - from) }, (_, i) => {
      const n = from + i
      return judged.record(eventAt(n, { hotShare: 0, occurredAt: begin + Math.floor((spanMs * n) / events) }))
    })
    await log.append(records)
  }
  const commits = judged.offsets().map((offset, partition) => ({ topic: 'ad-events', partition, offset }) as const)
  await log.reset(
    JUDGE_GROUP,
    commits.map((commit) => ({ ...commit, metadata: '' })),
  )
  const cost = await costOf(createCountersRepair({ log, counters, snapshot, now: Date.now }))
  if ((await counters.complete()).includes(false)) throw new Error('not all was counted again')
  return cost
}

async function measure(name: string, spanMs: number, engines: Judging): Promise<void> {
  const { elapsedMs, processMicros, redisMicros } = await recount(EVENTS, spanMs, engines)
  reportFigure({
    measure: `Recount, ${name}, ${redisMicros === null ? 'embedded' : 'Kafka and Redis'}`,
    ...{ value: (EVENTS / elapsedMs) * 1_000, unit: 'events/s', goal: { atLeast: 83_000 } },
  })
  console.log(
    [
      `${name}: ${Math.round((EVENTS / elapsedMs) * 1_000)} events/s`,
      `${(processMicros / EVENTS).toFixed(1)} us of the process's CPU each`,
      ...(redisMicros === null ? [] : [`${(redisMicros / EVENTS).toFixed(1)} us of Redis's`]),
    ].join(', '),
  )
}

/** Records of valid events, with the offsets that the judge would have given them. */
function judgedInOrder(partitions: number) {
  const next = new Array<number>(partitions).fill(0)
  const record = (event: AdEvent): NewRecord => {
    const { campaignId, kind, priceMicros } = event.claims
    const sourcePartition = shardOf(campaignId, partitions)
    const isBilled = kind === 'SPONSORED' && event.type === 'CLICK'
    const judged: JudgedEvent = {
      ...event,
      ...{
        verdict: 'VALID',
        billedMicros: billedFor(event, isBilled ? priceMicros : 0),
        invalidReason: null,
        marks: [],
      },
      ...{ sourcePartition, sourceOffset: next[sourcePartition]!++ },
    }
    return { topic: 'judged-events', key: campaignId, value: encode('JudgedEvent', judged) }
  }
  return { record, offsets: () => next }
}

const billedFor = ({ type, claims: { kind, priceMicros } }: AdEvent, clickMicros: number) =>
  kind === 'DISPLAY' && type === 'VIEW' ? priceMicros / 1_000 : clickMicros

await withJudging((engines) => recount(WARM_UP_EVENTS, HOUR_MS, engines))
await withJudging((engines) => measure('evenly over 14 days', 14 * DAY_MS, engines))
await withJudging((engines) => measure('all of the last hour', HOUR_MS, engines))
