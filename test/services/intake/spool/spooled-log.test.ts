import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LogUnavailable, type NewRecord, RecordTooLarge } from '../../../../infra/event-log/port.ts'
import { openSpoolRoom } from '../../../../services/intake/spool/room.ts'
import { openSpool } from '../../../../services/intake/spool/spool.ts'
import { createSpooledLog, type SpooledLog } from '../../../../services/intake/spool/spooled-log.ts'

/** A log that is up, refuses at once, or hangs. It may still store later what it was given while it hung. */
function fakeLog() {
  const stored: string[] = []
  const hanging: (() => void)[] = []
  const fake = {
    mode: 'UP' as 'UP' | 'DOWN' | 'HANGING',
    appends: 0,
    stored,
    hanging,
    async append(records: readonly NewRecord[]) {
      fake.appends += 1
      if (fake.mode === 'DOWN') throw new LogUnavailable('down')
      const store = () => void stored.push(...records.map(({ key }) => key!))
      if (fake.mode === 'UP') return store()
      await new Promise<void>((resolve) => {
        hanging.push(() => resolve(store()))
      })
    },
  }
  return fake
}

const HOUR_MS = 3_600_000

let folder: string
let log: ReturnType<typeof fakeLog>
let spooled: SpooledLog
let now: number
const errors: unknown[] = []
const open = async ({ maxBytes = 1_000_000, openMs = 20 } = {}) => {
  const spool = await openSpool({ folder, room: await openSpoolRoom({ folder, maxBytes }) })
  const onError = (error: unknown) => void errors.push(error)
  spooled = createSpooledLog({ log, spool, now: () => now, onError, patienceMs: 30, openMs })
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spooled-'))
  log = fakeLog()
  now = 0
  errors.length = 0
  await open()
})
afterEach(async () => {
  log.mode = 'UP'
  for (const store of log.hanging) store()
  await spooled.close()
  rmSync(folder, { recursive: true })
})

const record = (key: string, bytes = 10): NewRecord => ({ topic: 'page-views', key, value: Buffer.alloc(bytes) })
const append = (...keys: string[]) => spooled.append(keys.map((key) => record(key)))
const drained = async () => {
  while (spooled.waiting().records > 0) await delay(5)
}

describe('a log with a spool', () => {
  test('that is there takes records straight, and nothing touches the disk', async () => {
    await append('a')
    await append('b')
    expect(log.stored).toEqual(['a', 'b'])
    expect(log.appends).toBe(2)
  })

  test('that refuses leaves records on the disk, and gets them in order when it is back, before new ones', async () => {
    log.mode = 'DOWN'
    for (const key of ['a', 'b', 'c']) await append(key)
    expect(spooled.waiting().records).toBe(3)
    log.mode = 'UP'
    await append('d')
    await drained()
    await append('e')
    await drained()
    expect(log.stored).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(errors.length).toBeGreaterThan(0)
  })

  test('that hangs holds up the first requests only, and no later ones', async () => {
    await spooled.close()
    await open({ openMs: HOUR_MS })
    log.mode = 'HANGING'
    await Promise.all([append('a'), append('b')])
    const before = log.appends
    for (let i = 0; i < 50; i++) await append(`c${i}`)
    // The drain may have begun to try the log again; the requests have not.
    expect(log.appends - before).toBeLessThanOrEqual(1)
    expect(spooled.waiting().records).toBe(52)
  })

  test('that stores after all what was given up has it twice, and nothing is lost', async () => {
    log.mode = 'HANGING'
    await append('a')
    log.mode = 'UP'
    await delay(5)
    for (const store of log.hanging.splice(0)) store()
    await drained()
    expect(new Set(log.stored)).toEqual(new Set(['a']))
    expect(log.stored.length).toBeLessThanOrEqual(2 + 1)
  })

  test('keeps the order of each key under load, through outages', async () => {
    const KEYS = 8
    let running = true
    const sent = Array.from({ length: KEYS }, () => 0)
    const clients = sent.map(async (_, key) => {
      while (running) {
        await append(`${key}/${sent[key]!}`)
        sent[key]! += 1
        await delay(0)
      }
    })
    for (const mode of ['DOWN', 'UP', 'DOWN', 'UP'] as const) {
      log.mode = mode
      await delay(120)
    }
    running = false
    await Promise.all(clients)
    await drained()
    for (let key = 0; key < KEYS; key++) {
      const mine = log.stored.filter((each) => each.startsWith(`${key}/`))
      expect(mine).toEqual(Array.from({ length: sent[key]! }, (_, i) => `${key}/${i}`))
    }
  })

  test('is used straight again under a load that never pauses', async () => {
    log.mode = 'DOWN'
    let running = true
    const clients = Array.from({ length: 20 }, async (_, client) => {
      for (let i = 0; running; i++) {
        await append(`${client}/${i}`)
        await delay(0)
      }
    })
    await delay(50)
    log.mode = 'UP'
    while (spooled.waiting().records > 0) await delay(1)
    const before = log.appends
    while (log.appends < before + 100) await delay(1)
    expect(spooled.waiting().records).toBe(0)
    running = false
    await Promise.all(clients)
  })

  test('drains after a restart what the process before it left', async () => {
    log.mode = 'DOWN'
    await append('a', 'b')
    await spooled.close()
    log.mode = 'UP'
    await open()
    await drained()
    expect(log.stored).toEqual(['a', 'b'])
  })

  test('refuses when the spool is full as well, keeps what it took, and tries the log once in a while', async () => {
    await spooled.close()
    await open({ maxBytes: 0 })
    log.mode = 'DOWN'
    for (let i = 0; i < 10; i++) await expect(append('a')).rejects.toBeInstanceOf(LogUnavailable)
    expect(log.appends).toBe(1)
    now += 20
    log.mode = 'HANGING'
    const trial = append('trial')
    await expect(append('b')).rejects.toBeInstanceOf(LogUnavailable)
    expect(log.appends).toBe(2)
    await expect(trial).rejects.toBeInstanceOf(LogUnavailable)
    now += 20
    log.mode = 'UP'
    await append('c')
    await append('d')
    expect(log.stored).toEqual(['c', 'd'])
  })

  test('tries the log again after a failure although the clock was set back, also when the spool is full', async () => {
    await spooled.close()
    await open({ maxBytes: 0 })
    log.mode = 'DOWN'
    await expect(append('a')).rejects.toBeInstanceOf(LogUnavailable)
    now -= HOUR_MS
    log.mode = 'UP'
    await append('b')
    expect(log.stored).toEqual(['b'])
  })

  test('refuses a record that is too large, whichever way it would go', async () => {
    log.mode = 'DOWN'
    await append('a')
    await expect(spooled.append([record('big', 2 ** 21)])).rejects.toBeInstanceOf(RecordTooLarge)
    expect(spooled.waiting().records).toBe(1)
  })
})
