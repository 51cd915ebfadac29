import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../infra/config.ts'
import { allExternal, type EngineConfig } from '../infra/engine-config.ts'
import { openLogRestore } from '../infra/engines/servers.ts'
import { closeEngines, connectEngines, startEngines } from '../infra/engines.ts'
import { openEmbeddedEventLog } from '../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../infra/event-log/port.ts'
import { topicNames } from '../schemas/topics.ts'
import { type CarryOverMark, carryOver, finishCarryOver } from '../streams/restore/carry-over.ts'
import { requireEmpty, restoreLog } from '../streams/restore/restore.ts'
import { correctionsByOrder } from '../streams/restore/spend-checkpoints.ts'
import { lastWords, OperatorError } from './domain/errors.ts'
import { COPIED_LOG_ID, keepFilesPrivate, throwIfHalfRestored } from './process/data-folder.ts'
import { keptText } from './process/kept-text.ts'
import { createLogger } from './process/logger.ts'

class MigrationRefused extends OperatorError {
  override readonly name = 'MigrationRefused'
}

/**
 * Copies the log of an embedded installation into Kafka, and prepares it for a start on real engines: docs/operating.md. No
 * process may run on either. If it is interrupted, run it again.
 */
async function main(): Promise<void> {
  keepFilesPrivate()
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env })
  const { dataFolder } = config
  if (!allExternal(config.engines)) {
    throw new MigrationRefused(
      'Set KAFKA_BROKERS, CLICKHOUSE_URL, ELASTICSEARCH_URL and REDIS_URL to the engines to migrate to',
    )
  }
  const folder = join(dataFolder, 'log')
  if (!existsSync(folder)) throw new MigrationRefused(`There is no embedded log in ${dataFolder} (DATA_DIR)`)
  throwIfHalfRestored(dataFolder)
  const source = await openEmbeddedEventLog({ folder })
  try {
    process.stdout.write(await migrate(source, await partitionedAs(source, config.engines)))
  } finally {
    await source.close()
  }

  async function migrate(source: EventLog, engines: EngineConfig): Promise<string> {
    const mark = markIn(dataFolder)
    const logger = createLogger(config.logLevel)
    const restore = await openLogRestore(engines, logger).catch((error: Error) => {
      if (error.name !== 'PartitionsDiffer') throw error
      throw new MigrationRefused(
        `Kafka has topics of another installation in ${engines.namespace}: name another NAMESPACE`,
      )
    })
    const adEventPartitions = (await source.bounds('ad-events')).length
    const host = await startEngines({ folder: dataFolder, config: engines, logger, adEventPartitions })
    const targets = await connectEngines(host.links(), logger)
    try {
      await requireEmpty(targets.counters, targets.analytics)
      const onTopic = (topic: string, records: number) => process.stdout.write(`${topic}: ${records} records\n`)
      await carryOver({ source, mark, target: restore.copy, now: Date.now, onTopic })
      const countCorrections = await correctionsByOrder(source)
      const { judged } = await restoreLog({ restore, ...targets, countCorrections, now: Date.now })
      await finishCarryOver({ target: restore.copy, mark })
      const left = judged.reduce((sum, partition) => sum + partition.left, 0)
      return (
        `The log is now in Kafka; ${left} of its events are still to be judged. All processes may start, with the keys in ` +
        `${dataFolder}.\n`
      )
    } finally {
      await closeEngines(targets)
      await host.stop()
      await restore.close()
    }
  }
}

/** The mark keeps the program from starting on the folder while and after its log is copied. */
function markIn(dataFolder: string): CarryOverMark {
  const file = join(dataFolder, COPIED_LOG_ID)
  return {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : null),
    make: () => keptText(file, randomUUID),
  }
}

/** Missing topics are created with the partitions of the embedded log, so that each key stays in its partition. */
async function partitionedAs(source: EventLog, engines: EngineConfig): Promise<EngineConfig> {
  const counts = await Promise.all(
    topicNames.map(async (topic) => [topic, (await source.bounds(topic)).length] as const),
  )
  const topicPartitions = Object.fromEntries(counts.filter(([, count]) => count > 1))
  return { ...engines, kafka: { ...engines.kafka!, partitions: null, topicPartitions } }
}

main().catch((error: Error) => {
  process.stderr.write(lastWords(error))
  process.exit(1)
})
