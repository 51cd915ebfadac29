import { join } from 'node:path'
import { FROZEN_FOLDER } from '../analytics/embedded/frozen-copy.ts'
import { AnalyticsRejected, AnalyticsUnavailable } from '../analytics/port.ts'
import { DATABASE_FILE, WRITE_AHEAD_FILE } from '../event-log/embedded/database.ts'
import { LogUnavailable } from '../event-log/port.ts'
import { connect, type Remote } from '../threads/calls.ts'
import type { Served } from '../threads/worker.ts'
import type { EngineCopy } from './port.ts'

/** @param folders paths of the folders of the log and of Analytics, within the data folder. */
export function embeddedCopy(
  { log, analytics }: Record<'log' | 'analytics', Served>,
  folders: Record<'log' | 'analytics', string>,
): EngineCopy {
  let remotes: Record<'log' | 'analytics', Remote> | null = null

  function opened(): Record<'log' | 'analytics', Remote> {
    remotes ??= {
      log: connect(log.connect(), { LogUnavailable }, () => new LogUnavailable('The log has been closed')),
      analytics: connect(
        analytics.connect(),
        { AnalyticsUnavailable, AnalyticsRejected },
        () => new AnalyticsUnavailable('The analytics store has been closed'),
      ),
    }
    return remotes
  }

  return {
    async begin() {
      await opened().log.call('beginFileCopy', [])
      return { path: join(folders.log, DATABASE_FILE) }
    },
    async take() {
      const { log, analytics } = opened()
      try {
        await analytics.call('freeze', [])
        // Nothing is written to the tables until here. So they are no further than the log, and have all that the log says is stored.
        const bytes = await log.call<number>('takeFileCopy', [])
        return {
          writeAhead: { path: join(folders.log, WRITE_AHEAD_FILE), bytes },
          analyticsFolder: join(folders.analytics, FROZEN_FOLDER),
        }
      } finally {
        await analytics.call('thaw', [])
      }
    },
    async logCopied() {
      const isWhole = await opened().log.call<boolean>('endFileCopy', [])
      if (isWhole) return
      throw new LogUnavailable('The copy of the log was given up: the disk is full, or the copy took too long')
    },
    async end() {
      if (!remotes) return
      const { log, analytics } = remotes
      remotes = null
      await log.call('endFileCopy', [])
      await analytics.call('discardFrozen', [])
      log.close()
      analytics.close()
    },
  }
}
