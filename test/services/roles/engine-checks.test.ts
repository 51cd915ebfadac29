import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { type ErasingLog, withErasures } from '../../../infra/event-log/erasing-log.ts'
import { createStoreCheck } from '../../../services/roles/engine-checks.ts'
import type { Shared } from '../../../services/roles/part.ts'
import { encodeOffsetMetadata, SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'

let folder: string
let log: ErasingLog
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-check-'))
  log = withErasures(await openEmbeddedEventLog({ folder }), Date.now)
})
afterAll(async () => {
  await log.close()
  await rm(folder, { recursive: true })
})

/** The check of a process whose store has this name at each further time that it is asked. */
function checkOf(...names: (string | null)[]) {
  const query = async () => [names.shift() ?? null].filter((id) => id !== null).map((id) => ({ id }))
  const lines: string[] = []
  const logger = pino({ level: 'error' }, { write: (line) => lines.push(line) })
  return { check: createStoreCheck({ log, analytics: { query }, logger } as unknown as Shared), lines }
}

async function commitFrom(store: string | undefined): Promise<void> {
  const metadata = encodeOffsetMetadata({ epoch: 1, pendingLast: null, ...(store === undefined ? {} : { store }) })
  await log.reset(SINK_GROUP, [{ topic: 'page-views', partition: 0, offset: 0, metadata }])
}

it.each([
  ['nothing is stored yet, and the store has no name', undefined, null],
  ['the streams name no store', undefined, 'one'],
  ['the streams fill the same store', 'one', 'one'],
])('is ready when %s', async (_case, stored, own) => {
  await commitFrom(stored)
  await checkOf(own).check()
})

it.each([
  ['another store', 'two'],
  ['a store that nobody has filled', null],
])('is not ready while the tables are those of %s, and the log names the setting', async (_case, own) => {
  await commitFrom('one')
  const { check, lines } = checkOf(own, 'one')
  await expect(check()).rejects.toMatchObject({ name: 'NotReady', message: expect.not.stringContaining('one') })
  expect(lines.join()).toContain('CLICKHOUSE_URL')
  await check()
})

it('asks no more once it was ready', async () => {
  await commitFrom('one')
  const { check } = checkOf('one', 'two')
  await check()
  await check()
})
