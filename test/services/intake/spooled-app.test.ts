import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogUnavailable } from '../../../infra/event-log/port.ts'
import { openSpoolRoom } from '../../../services/intake/spool/room.ts'
import { openSpool } from '../../../services/intake/spool/spool.ts'
import { createSpooledLog, type SpooledLog } from '../../../services/intake/spool/spooled-log.ts'
import { SHOP_ID } from '../../streams/judge/fixtures.ts'
import { intakeOverMemory, showIdOf } from './intake.fixtures.ts'

let folder: string
let spooled: SpooledLog
let intake: ReturnType<typeof intakeOverMemory>
const open = async (maxBytes: number) => {
  const spool = await openSpool({ folder, room: await openSpoolRoom({ folder, maxBytes }) })
  intake = intakeOverMemory((log) => {
    spooled = createSpooledLog({ log, spool, now: Date.now, onError() {}, openMs: 20 })
    return spooled
  })
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spooled-intake-'))
})
afterEach(async () => {
  await spooled.close()
  rmSync(folder, { recursive: true })
})
const pageView = (id: string) => ({ id, referer: 'https://shop.example/', shopId: SHOP_ID })
const view = (id: string) => intake.post('/v1/ev/page-view', pageView(id), { cid: 'c' })
const ids = () => intake.records().map(({ value }) => (value as { id: string }).id)

test('events are taken while the log is away, single and in batches, and come into it in order', async () => {
  await open(1_000_000)
  expect((await view('a')).status).toBe(202)
  intake.state.failWith = new LogUnavailable('away')
  expect((await view('b')).status).toBe(202)
  const events = [
    { type: 'PAGE_VIEW', data: pageView('c') },
    { type: 'PAGE_VIEW', data: {} },
    { type: 'CLICK', showId: showIdOf() },
  ]
  const { status, body } = await intake.post('/v1/ev/batch', { events }, { cid: 'c' })
  expect({ status, accepted: body.accepted, rejected: body.rejected.length }).toEqual({
    status: 202,
    accepted: 2,
    rejected: 1,
  })
  intake.state.failWith = null
  expect((await view('d')).status).toBe(202)
  while (spooled.waiting().records > 0) await delay(5)
  expect(ids().filter((id) => id !== undefined)).toEqual(['a', 'b', 'c', 'd'])
  expect(intake.records()).toHaveLength(5)
})

test('with the spool full, events are refused with 503 and Retry-After, and what was taken is kept', async () => {
  await open(1_000)
  intake.state.failWith = new LogUnavailable('away')
  const taken: string[] = []
  for (let i = 0; ; i++) {
    const { status, headers } = await view(`v${i}`)
    if (status === 202) taken.push(`v${i}`)
    else {
      expect(status).toBe(503)
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      break
    }
  }
  expect(taken.length).toBeGreaterThan(2)
  intake.state.failWith = null
  while (spooled.waiting().records > 0) await delay(5)
  expect(ids()).toEqual(taken)
  // Space in the spool becomes free a moment after the last record is drained.
  while ((await view('again')).status !== 202) await delay(5)
})
