import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { RecordTypes } from '../../../schemas/records/records.ts'
import { topics } from '../../../schemas/topics.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { attribute } from '../../../streams/attribution/attribution.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { tries } from '../../effort.ts'
import type { Happening } from '../attribution/happenings.ts'
import { attributedByHand } from '../attribution/oracle.ts'
import { attributedLines } from '../attribution/world.ts'

const ROUNDS = tries(6, 20)
const KILL_AFTER_MAX_MS = 900
const silent = { info() {}, warn() {}, error() {} }
const tables = { 'judged-events': 'judged_events', transactions: 'transactions', 'page-views': 'page_views' } as const

const folder = await mkdtemp(join(tmpdir(), 'sink-kill-'))
afterAll(() => rm(folder, { recursive: true }))

it('has every acknowledged event once, and the right credits, after being killed again and again', async () => {
  let acknowledged = 0
  for (let round = 0; round < ROUNDS; round++) {
    const child = fork(join(import.meta.dirname, 'sink.kill.child.ts'), [folder, String(round)])
    const exited = once(child, 'exit')
    child.on('message', (message) => {
      if (typeof message === 'number') acknowledged += message
    })
    await once(child, 'message')
    await delay(Math.random() * KILL_AFTER_MAX_MS)
    child.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
  }

  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const analytics = await openEmbeddedAnalytics({ folder: join(folder, 'analytics') })
  const sink = createSink({ log, analytics, now: () => Date.now() * 10, logger: silent })
  const ended = sink.run()
  while ((await sink.lag()).some(({ records }) => records > 0)) await delay(50)
  await sink.stop()
  await ended
  while ((await attribute({ log, analytics, runId: randomUUID })) !== null) {}

  const happenings: Happening[] = []
  for (const topic of Object.keys(tables) as (keyof typeof tables)[]) {
    let logged = 0
    for (const { partition, start, end } of await log.bounds(topic)) {
      const records = await log.read(topic, partition, start, end - start)
      logged += records.length
      for (const { value } of records) {
        happenings.push({
          topic,
          value: decode(topics[topic].record, value!) as RecordTypes['JudgedEvent'],
        } as Happening)
      }
    }
    expect(
      await analytics.query(
        `SELECT count() AS rows, uniqExact(_topic, _partition, _offset) AS places FROM ${tables[topic]}`,
      ),
    ).toEqual([{ rows: logged, places: logged }])
  }
  expect(happenings.length).toBeGreaterThanOrEqual(acknowledged)
  expect(acknowledged).toBeGreaterThan(0)
  const lines = await attributedLines(analytics)
  expect(lines.filter(({ outcome }) => outcome === 'CREDITED').length).toBeGreaterThan(10)
  expect(lines).toEqual(attributedByHand(happenings))
  await log.close()
  await analytics.close()
})
