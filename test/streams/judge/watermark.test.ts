import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import type { EventLog, Position } from '../../../infra/event-log/port.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { JUDGE_GROUP } from '../../../streams/judge/recount/judged-up-to.ts'
import { createJudgeWatermark } from '../../../streams/judge/watermark.ts'
import { eventOf, snapshotOf } from './fixtures.ts'
import { emptyLogAndCounters } from './log-and-counters.ts'
import type { LossyCounters } from './lossy-counters.ts'

/** Events that were received longer ago than this are in the log. */
const APPEND_MAX_MS = 5_000
const CAMPAIGNS = ['c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const snapshot = snapshotOf(Object.fromEntries(CAMPAIGNS.map((id) => [id, {}])))

describe('the time up to which everything has been judged', () => {
  const its = emptyLogAndCounters(snapshot)
  const { judge } = its
  let log: EventLog
  let counters: LossyCounters
  beforeEach(() => {
    ;({ log, counters } = its)
  })
  const told = () => counters.watermark()
  const send = (campaignId: string) =>
    log.append([{ topic: 'ad-events', key: campaignId, value: encode('AdEvent', eventOf({}, { campaignId })) }])
  const takenAt = async ({ partition, offset }: Position) =>
    (await log.read('ad-events', partition, offset, 1))[0]!.appendedAt

  test('is now, less the time that an event may be on its way, while nothing waits', async () => {
    let now = 1_000_000
    const look = createJudgeWatermark({ log, counters, now: () => now })
    await look()
    expect(await told()).toBe(now - APPEND_MAX_MS)
    await send('c')
    await judge()
    now = Date.now()
    await look()
    expect(await told()).toBe(now - APPEND_MAX_MS)
  })

  test('stands where the first event waits, in whichever partition, and never goes back', async () => {
    const later = () => Date.now() + 60_000
    const [first] = await send('c')
    let other: Position | undefined
    for (const id of CAMPAIGNS.slice(1)) {
      await delay(2)
      const [sent] = await send(id)
      if (sent!.partition !== first!.partition) other ??= sent
    }
    const look = createJudgeWatermark({ log, counters, now: later })
    await look()
    expect(await told()).toBe((await takenAt(first!)) - APPEND_MAX_MS)

    const { partition } = first!
    const end = (await log.bounds('ad-events')).find((each) => each.partition === partition)!.end
    await log.reset(JUDGE_GROUP, [{ topic: 'ad-events', partition, offset: end, metadata: '' }])
    await look()
    expect(await told()).toBe((await takenAt(other!)) - APPEND_MAX_MS)

    await log.reset(JUDGE_GROUP, null)
    await createJudgeWatermark({ log, counters, now: later })()
    expect(await told()).toBe((await takenAt(other!)) - APPEND_MAX_MS)
  })

  test('is told less often after two minutes without an event, until one comes', async () => {
    let now = Date.now()
    const look = createJudgeWatermark({ log, counters, now: () => now })
    await send('c')
    expect(await look()).toBe(false)
    now += 120_000
    expect(await look()).toBe(false)
    now += 1
    expect(await look()).toEqual({ pauseMs: 5_000 })
    await send('c')
    expect(await look()).toBe(false)
  })

  test('is not told when the log does not say how far the judge is', async () => {
    const away = { ...log, committed: () => Promise.reject(new Error('away')) }
    await expect(createJudgeWatermark({ log: away, counters, now: Date.now })()).rejects.toThrow('away')
    expect(await told()).toBe(-1)
  })
})
