import { join } from 'node:path'
import { readConfig } from '../infra/config.ts'
import { isEmbedded } from '../infra/engine-config.ts'
import { openEmbeddedEventLog } from '../infra/event-log/embedded/event-log.ts'
import { forgetIndex } from '../streams/rebuild/product-index.ts'
import { RestoreRefused, restoreBackup } from './backup/restore.ts'
import { lastWords } from './domain/errors.ts'
import { keepFilesPrivate } from './process/data-folder.ts'

/** Fills an empty data folder from a backup: `node services/restore.ts FILE`. */
async function main(): Promise<void> {
  const [file] = process.argv.slice(2)
  if (!file) throw new RestoreRefused('Name the backup: make restore FILE=…')
  keepFilesPrivate()
  const { dataFolder, engines } = readConfig(process.env)
  if (!isEmbedded(engines)) {
    throw new RestoreRefused(
      'A backup can only be restored into an embedded installation: leave out the settings with addresses of engines',
    )
  }
  const { takenAt } = await restoreBackup({ file, dataFolder, prepare })
  process.stdout.write(`${dataFolder} was restored to its state of ${takenAt}. The program may start.\n`)

  /** A backup does not include the index. The indexer fills it again. */
  async function prepare(): Promise<void> {
    const log = await openEmbeddedEventLog({ folder: join(dataFolder, 'log') })
    try {
      await forgetIndex(log)
    } finally {
      await log.close()
    }
  }
}

main().catch((error: Error) => {
  process.stderr.write(lastWords(error))
  process.exit(1)
})
