import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { LogUnavailable, type NewRecord } from '../../../infra/event-log/port.ts'
import { joinSpoolRoom, openSpoolRoom } from '../../../services/intake/spool/room.ts'
import { type EventsDeps, openEvents, openLeftSpools } from '../../../services/roles/event-intake-log.ts'

const record = (key: string, bytes = 5): NewRecord => ({ topic: 'ad-events', key, value: Buffer.alloc(bytes) })

it('gives a spool only the room that the spools of an earlier start have left, until they are drained', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spools-'))
  let isThere = false
  const log = {
    async append() {
      if (!isThere) throw new LogUnavailable('away')
    },
  }
  const start = async () =>
    ({
      ...{ log, engines: { kafka: {} }, room: await openSpoolRoom({ folder, maxBytes: 100_000 }) },
      ...{ folder, logger: pino({ level: 'silent' }), now: Date.now },
    }) as unknown as EventsDeps
  const left = await start()
  for (const name of ['http-2', 'http-3']) {
    const events = await openEvents({ ...left, folder: join(folder, name) })
    await events.append([record('of an earlier start', 40_000)])
    await events.close()
  }

  const deps = await start()
  // As another thread, which knows only what it was told.
  const main = await openEvents({ ...deps, room: joinSpoolRoom(deps.room.shared) })
  await expect(main.append([record('too large', 30_000)])).rejects.toBeInstanceOf(LogUnavailable)
  await main.append([record('small', 10_000)])
  await expect(main.append([record('one more', 10_000)])).rejects.toBeInstanceOf(LogUnavailable)

  isThere = true
  const drained = await openLeftSpools(deps, [])
  await expect.poll(() => [main, ...drained].map((each) => each.waiting().records)).toEqual([0, 0, 0])
  isThere = false
  await main.append([record('what no other spool takes', 90_000)])
  await Promise.all([main, ...drained].map((each) => each.close()))
  await rm(folder, { recursive: true })
})

it('drains what threads of an earlier start have spooled, and leaves the spools of the others alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spools-'))
  const stored: string[] = []
  const log = { isThere: false }
  const deps = {
    log: {
      async append(records: readonly NewRecord[]) {
        if (!log.isThere) throw new LogUnavailable('away')
        stored.push(...records.map(({ key }) => key!))
      },
    },
    engines: { kafka: {} },
    room: await openSpoolRoom({ folder, maxBytes: 1024 ** 2 }),
    ...{ folder, logger: pino({ level: 'silent' }), now: Date.now },
  } as unknown as EventsDeps
  for (const name of ['', 'http-2', 'http-3']) {
    const events = await openEvents({ ...deps, folder: join(folder, name) })
    await events.append([record(`of ${name}`)])
    await events.close()
  }

  log.isThere = true
  const used = await openEvents({ ...deps, folder: join(folder, 'http-2') })
  const left = await openLeftSpools(deps, ['http-2'])
  expect(left).toHaveLength(1)
  await expect.poll(() => stored.toSorted()).toEqual(['of http-2', 'of http-3'])
  await expect.poll(() => left[0]!.waiting().records).toBe(0)
  await Promise.all([used, ...left].map((each) => each.close()))

  const main = await openEvents(deps)
  await expect.poll(() => stored).toContain('of ')
  await main.close()
  expect((await readdir(folder)).filter((name) => name.endsWith('.spool'))).toEqual([])
  await rm(folder, { recursive: true })
})
