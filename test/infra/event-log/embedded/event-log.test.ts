import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  eventLogClient,
  openEmbeddedEventLog,
  startEmbeddedEventLog,
} from '../../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../../infra/event-log/port.ts'
import { eventLogSuite } from '../../../ports/event-log/event-log.suite.ts'
import type { EventLogHost } from '../../../ports/event-log/world.ts'
import { waitFor } from '../../../wait-for.ts'

const temporaryFolder = () => mkdtemp(join(tmpdir(), 'event-log-'))

async function createHost(): Promise<EventLogHost> {
  const folder = await temporaryFolder()
  let served = await startEmbeddedEventLog({ folder, housekeepingMs: 20 })
  return {
    connect: async () => eventLogClient(served.connect(), { gatherMs: 4 }),
    async crash() {
      await served.stop()
      served = await startEmbeddedEventLog({ folder, housekeepingMs: 20 })
    },
    async destroy() {
      await served.stop()
      await rm(folder, { recursive: true })
    },
  }
}

eventLogSuite('embedded', createHost)

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await temporaryFolder()
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

it('a folder that another log has open is refused until that log is closed', () =>
  withFolder(async (folder) => {
    const log = await openEmbeddedEventLog({ folder })
    await expect(openEmbeddedEventLog({ folder })).rejects.toThrow(/in use by another process/)
    await log.close()
    const again = await openEmbeddedEventLog({ folder })
    await again.close()
  }))

it('superseded values are removed in the background', () =>
  withFolder(async (folder) => {
    const log: EventLog = await openEmbeddedEventLog({ folder, housekeepingMs: 5 })
    const [position] = await log.append(
      Array.from(
        { length: 2_000 },
        (_, n) => ({ topic: 'products', key: 'one', value: Buffer.from(String(n)) }) as const,
      ),
    )
    const { partition } = position!
    await waitFor(async () => (await log.count('products', partition, 0, 2_000)) <= 1)
    const [left] = await log.read('products', partition, 0, 10)
    expect(left).toMatchObject({ offset: 1_999, key: 'one' })
    expect(await log.bounds('products')).toContainEqual({ partition, start: 1_999, end: 2_000 })
    await log.close()
  }))
