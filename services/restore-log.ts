import { parseArgs } from 'node:util'
import { readConfig } from '../infra/config.ts'
import { openLogRestore } from '../infra/engines/servers.ts'
import { closeEngines, connectEngines, startEngines } from '../infra/engines.ts'
import { requireCarriedOver } from '../streams/restore/carry-over.ts'
import { restoreLog } from '../streams/restore/restore.ts'
import { lastWords, OperatorError } from './domain/errors.ts'
import { keepFilesPrivate } from './process/data-folder.ts'
import { createLogger } from './process/logger.ts'

/**
 * Prepares a copy of the log in Kafka whose records have other offsets, such as a mirror, for a start with empty projections:
 * docs/restore.md. No process may run on it. With `--offsets-kept` it only declares that a copy in another cluster has all
 * offsets and commits of the original.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'offsets-kept': { type: 'boolean', default: false } } })
  keepFilesPrivate()
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env })
  if (config.engines.kafka === null) {
    throw new OperatorError(
      'KAFKA_BROKERS must name the cluster that has the copy. An embedded log is restored by make restore (docs/operating.md)',
    )
  }
  const logger = createLogger(config.logLevel)
  const restore = await openLogRestore(config.engines, logger)
  try {
    await requireCarriedOver(restore.copy)
    if (values['offsets-kept']) {
      await restore.adopt()
      process.stdout.write('The log keeps its offsets, and now belongs to this cluster. All processes may start.\n')
      return
    }
    const adEventPartitions = (await restore.copy.bounds('ad-events')).length
    const options = { folder: config.dataFolder, config: config.engines, logger, adEventPartitions }
    const host = await startEngines(options)
    const engines = await connectEngines(host.links(), logger)
    try {
      const { epoch, judged, spendCheckpoints } = await restoreLog({ restore, ...engines, now: Date.now })
      console.table(judged)
      const left = judged.reduce((sum, partition) => sum + partition.left, 0)
      process.stdout.write(
        `The log is in epoch ${epoch}. ${left} offsets of ad-events are still to be judged. ${spendCheckpoints} spend ` +
          'checkpoints were given new offsets. All processes may start.\n',
      )
    } finally {
      await closeEngines(engines)
      await host.stop()
    }
  } finally {
    await restore.close()
  }
}

main().catch((error: Error) => {
  process.stderr.write(lastWords(error))
  process.exit(1)
})
