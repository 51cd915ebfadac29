import { link, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCopy, LogFile, TakenFiles } from '../../infra/backup/port.ts'
import { OperatorError } from '../domain/errors.ts'

/** A folder in the data folder with links to files, so that they stay while a backup is taken. */
const KEPT_FOLDER = 'backup'
const FEEDS = 'feeds'

/** The process that has the engines open could not carry out a step; the message says why. */
export class BackupSourceFailed extends OperatorError {
  override readonly name = 'BackupSourceFailed'
}

/** A data folder whose files are being backed up, by the steps of `EngineCopy`. All paths are relative to it. */
export interface BackupSource {
  begin(): Promise<LogFile>
  take(): Promise<TakenFiles & { feedsFolder: string }>
  logCopied(): Promise<void>
  end(): Promise<void>
}

/** The source in the process that has the engines open. */
export function createBackupSource(copy: EngineCopy, dataFolder: string): BackupSource {
  const feeds = join(dataFolder, FEEDS)
  const kept = join(dataFolder, KEPT_FOLDER)
  const feedsFolder = join(KEPT_FOLDER, FEEDS)

  /** Links the files of feeds. Once the log knows a run, the file of that run never changes under its name. */
  async function keepFeeds(): Promise<void> {
    for (const name of await readdir(feeds).catch(() => [])) {
      await link(join(feeds, name), join(dataFolder, feedsFolder, name)).catch(ignoreGoneOrKept)
    }
  }

  return {
    begin: () => copy.begin(),
    async take() {
      await rm(kept, { recursive: true, force: true })
      await mkdir(join(dataFolder, feedsFolder), { recursive: true })
      // Files are linked before and after the copy: the file of a run that the log knows at that moment is there in one of the two.
      await keepFeeds()
      const taken = await copy.take()
      await keepFeeds()
      return { ...taken, feedsFolder }
    },
    logCopied: () => copy.logCopied(),
    async end() {
      await copy.end()
      await rm(kept, { recursive: true, force: true })
    },
  }
}

function ignoreGoneOrKept(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
}
