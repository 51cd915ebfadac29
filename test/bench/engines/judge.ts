/**
 * Judged events a second: one process judges events that are already in the log, with all rules. It reads, decides, stores and
 * appends them, after a warm-up on other events. Measured with equally busy campaigns, and with one campaign that has 90 % of the
 * events. With KAFKA_BROKERS it uses Kafka and Redis of this machine, and measures the CPU of Redis; otherwise the embedded engines.
 * Then a table tells what each thread has used, including what others use of the same engines meanwhile.
 *
 *     [KAFKA_BROKERS=127.0.0.1:19092] node test/bench/engines/judge.ts [events]
 */
import { setTimeout as delay } from 'node:timers/promises'
import { encode } from '../../../schemas/wire/codec.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { rebuildCounters } from '../../../streams/judge/recount.ts'
import { openAccount, printAccount } from '../judging/account.ts'
import { costOf, type Judging, silent, withJudging } from '../judging/engines.ts'
import { eventAt, snapshot } from '../judging/traffic.ts'
import { reportFigure } from '../summary/figure.ts'

const EVENTS = Number(process.argv[2] ?? 200_000)
/** A process judges for days, so it is measured after V8 has compiled its code. Before that, an event takes more than twice as long. */
const WARM_UP_EVENTS = 100_000
const APPENDED_AT_ONCE = 2_000

async function fill({ log }: Judging, count: number, hotShare: number): Promise<void> {
  for (let from = 0; from < count; from += APPENDED_AT_ONCE) {
    const events = Array.from({ length: Math.min(APPENDED_AT_ONCE, count - from) }, (_, i) =>
      eventAt(from + i, { hotShare, occurredAt: Date.now() }),
    )
    await log.append(
      events.map((event) => {
        return { topic: 'ad-events' as const, key: event.claims.campaignId, value: encode('AdEvent', event) }
      }),
    )
  }
}

/** Judges this many events, which are already in the log. */
async function judge(engines: Judging, count: number) {
  const stream = createJudge({ ...engines, snapshot, now: Date.now, logger: silent })
  let running: Promise<void> | undefined
  const used = openAccount(process.env.KAFKA_BROKERS === undefined ? [] : ['kafka', 'redis'])
  const cost = await costOf(async () => {
    running = stream.run()
    while (stream.state().records < count) await delay(10)
  })
  const shares = used()
  await stream.stop()
  await running
  return { ...cost, shares }
}

async function measure(name: string, hotShare: number, engines: Judging): Promise<void> {
  await fill(engines, EVENTS, hotShare)
  const { elapsedMs, processMicros, redisMicros, shares } = await judge(engines, EVENTS)
  const deps = { ...engines, snapshot, now: Date.now }
  const recountFrom = performance.now()
  const recounted = await rebuildCounters(deps)
  const recountMs = performance.now() - recountFrom
  if (recounted !== EVENTS) throw new Error(`counted ${recounted} of ${EVENTS} again`)
  const where = redisMicros === null ? 'embedded' : 'Kafka and Redis'
  reportFigure({
    measure: `Judge, ${name}, ${where}`,
    ...{
      value: (EVENTS / elapsedMs) * 1_000,
      unit: 'events/s',
      goal: { atLeast: redisMicros === null ? 60_000 : 40_000 },
    },
  })
  if (redisMicros !== null) {
    reportFigure({
      measure: `Redis, ${name}`,
      ...{ value: redisMicros / EVENTS, unit: 'µs of CPU a judged event', goal: { atMost: 8 } },
    })
  }
  console.log(
    [
      `${name}: ${Math.round((EVENTS / elapsedMs) * 1_000)} events/s`,
      `${(processMicros / EVENTS).toFixed(1)} us of the process's CPU each`,
      ...(redisMicros === null ? [] : [`${(redisMicros / EVENTS).toFixed(1)} us of Redis's`]),
      `counted again at ${Math.round((EVENTS / recountMs) * 1_000)} events/s`,
    ].join(', '),
  )
  printAccount(shares, EVENTS)
}

await withJudging(async (engines) => {
  await fill(engines, WARM_UP_EVENTS, 0)
  await judge(engines, WARM_UP_EVENTS)
})
await withJudging((engines) => measure('campaigns alike', 0, engines))
await withJudging((engines) => measure('one campaign with 90 %', 0.9, engines))
