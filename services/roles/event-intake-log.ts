import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { EngineConfig } from '../../infra/engine-config.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { SpoolRoom } from '../intake/spool/room.ts'
import { openSpool } from '../intake/spool/spool.ts'
import { createSpooledLog, type SpooledLog } from '../intake/spool/spooled-log.ts'
import { rateLimitedLog } from '../process/rate-limited-log.ts'

const WARN_EVERY_MS = 1_000

export interface EventsDeps {
  log: EventLog
  engines: EngineConfig
  /** The folder of the spool. No other thread uses it. */
  folder: string
  room: SpoolRoom
  logger: Logger
  now: () => number
}

/**
 * Opens the log that events are appended to, with a spool on disk for the time that Kafka is unavailable. The embedded log
 * needs no spool: it is on the same disk.
 */
export async function openEvents(deps: EventsDeps): Promise<SpooledLog> {
  const { log, engines, folder, room, logger, now } = deps
  if (engines.kafka === null) {
    return {
      async append(records) {
        await log.append(records)
      },
      waiting: () => ({ records: 0, bytes: 0 }),
      close: async () => {},
    }
  }
  const spool = await openSpool({
    folder,
    room,
    onCut: (cut) =>
      logger.warn(cut, 'the spool ended in an incomplete record, which was never acknowledged and is now removed'),
    onDamage: (damage) =>
      logger.error(
        damage,
        'the spool is damaged: the disk returned other bytes than were written. They were set aside',
      ),
  })
  const onError = rateLimitedLog({ everyMs: WARN_EVERY_MS, now }, (err, suppressed) =>
    logger.warn({ err, suppressed }, 'the log does not accept events: they are spooled to disk'),
  )
  return createSpooledLog({ log, spool, now, onError })
}

/**
 * Opens the spools in a folder that no thread of this start uses, so that they are drained. An earlier start with more threads
 * left them.
 */
export async function openLeftSpools(deps: EventsDeps, used: readonly string[]): Promise<SpooledLog[]> {
  if (deps.engines.kafka === null) return []
  await mkdir(deps.folder, { recursive: true })
  const entries = await readdir(deps.folder, { withFileTypes: true })
  const left = entries.filter((entry) => entry.isDirectory() && !used.includes(entry.name))
  return Promise.all(left.map(({ name }) => openEvents({ ...deps, folder: join(deps.folder, name) })))
}
