import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { LogUnavailable, type NewRecord } from '../../../infra/event-log/port.ts'
import { type EventsDeps, openEvents, openLeftSpools } from '../../../services/roles/event-intake-log.ts'

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
    ...{ folder, spoolMaxBytes: 1024 ** 2, logger: pino({ level: 'silent' }), now: Date.now },
  } as unknown as EventsDeps
  const record = (key: string): NewRecord => ({ topic: 'ad-events', key, value: Buffer.from('event') })
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
