import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../infra/config.ts'
import { isEmbedded } from '../infra/engine-config.ts'
import { startEngines } from '../infra/engines.ts'
import { BackupRefused, takeBackup } from './backup/backup.ts'
import { connectBackupSource } from './backup/socket.ts'
import { type BackupSource, createBackupSource } from './backup/source.ts'
import { lastWords } from './domain/errors.ts'
import { keepFilesPrivate, throwIfHalfRestored } from './process/data-folder.ts'
import { createLogger } from './process/logger.ts'

/** A `nice` value at which the backup yields to the program. */
const YIELDING = 10

/** Backs up an embedded installation into one file, whether the program runs or not: `node services/backup.ts FILE`. */
async function main(): Promise<void> {
  const [file] = process.argv.slice(2)
  if (!file) throw new BackupRefused('Name the file to write: make backup FILE=…')
  keepFilesPrivate()
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env })
  const { dataFolder, engines } = config
  if (!isEmbedded(engines)) {
    throw new BackupRefused(
      'Only an embedded installation can be backed up into a file. For other engines, see docs/operating.md, Backup',
    )
  }
  if (!existsSync(join(dataFolder, 'log'))) throw new BackupRefused(`There is no log in ${dataFolder} (DATA_DIR)`)
  throwIfHalfRestored(dataFolder)
  setPriority(YIELDING)
  const source = (await connectBackupSource(dataFolder)) ?? (await startSource())
  const startedAt = performance.now()
  const bytes = await takeBackup({ source, dataFolder, file, now: Date.now })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stdout.write(`The backup ${file} is complete: ${bytes} bytes, ${seconds} s\n`)

  /** Starts the engines in this process, since the program does not run. It cannot start until they are stopped. */
  async function startSource(): Promise<BackupSource> {
    const logger = createLogger(config.logLevel)
    const host = await startEngines({ folder: dataFolder, config: engines, logger })
    const own = createBackupSource(host.copy!, dataFolder)
    const stop = async () => {
      await own.end()
      await host.stop()
    }
    let stopped: Promise<void> | undefined
    return {
      ...own,
      end() {
        stopped ??= stop()
        return stopped
      },
    }
  }
}

main().catch((error: Error) => {
  process.stderr.write(lastWords(error))
  process.exit(1)
})
