import { setTimeout as delay } from 'node:timers/promises'
import { openPartitionControl } from '../infra/engines/servers.ts'
import { CORRECTIONS_GROUP, createCorrections } from '../streams/judge/corrections.ts'
import { createCountersRepair } from '../streams/judge/counters-repair.ts'
import { createJudge } from '../streams/judge/judge.ts'
import { JUDGE_GROUP } from '../streams/judge/recount/judged-up-to.ts'
import { rebuildCounters } from '../streams/judge/recount.ts'
import { RepartitionRefused, wantedCounts } from '../streams/repartition/plan.ts'
import { repartition } from '../streams/repartition/repartition.ts'
import { runToEnd } from '../streams/runtime/run-to-end.ts'
import { SINK_GROUP } from '../streams/sink/offset-metadata.ts'
import { lastWords } from './domain/errors.ts'
import { keepFilesPrivate } from './process/data-folder.ts'
import { createLogger } from './process/logger.ts'
import { readCommandConfig, withEngines } from './with-engines.ts'

/** An append uses partition counts that are at most 5 s old when it begins, and it ends within 5 s. */
const APPENDS_SETTLE_MS = 12_000

/**
 * Gives topics the partitions that KAFKA_TOPIC_PARTITIONS and KAFKA_PARTITIONS ask for, and recounts the counters. No process
 * with the role `streams` may run. Exits with status 1 when it is refused; nothing was changed then.
 */
const config = readCommandConfig()
const logger = createLogger(config.logLevel)
const now = Date.now
const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const { kafka } = config.engines
  if (!kafka)
    throw new RepartitionRefused('The partitions of an embedded log cannot be changed: its only process needs no more')
  const control = await openPartitionControl(config.engines, logger)
  const wanted = wantedCounts(await control.counts(), kafka)

  const growth = await withEngines({ config, logger, prepares: false }, ({ log, counters }, snapshot) => {
    const deps = { log, counters, snapshot, now, logger }
    return repartition(
      {
        ...deps,
        control: { ...control, activeGroups: () => control.activeGroups([JUDGE_GROUP, CORRECTIONS_GROUP, SINK_GROUP]) },
        async finish() {
          await runToEnd(createJudge(deps))
          await runToEnd(createCorrections(deps))
          await createCountersRepair(deps)()
        },
        appendsSettled: () => delay(APPENDS_SETTLE_MS),
        onStep: say,
      },
      wanted,
    )
  })
  if (growth.size === 0) say('Every topic already has the number of partitions that is set.')

  const beganAt = performance.now()
  const events = await withEngines({ config, logger, prepares: true }, ({ log, counters }, snapshot) => {
    return rebuildCounters({ log, counters, snapshot, now })
  })
  say(
    `${events} events counted again in ${Math.round((performance.now() - beganAt) / 1_000)} s. Start the processes with ` +
      'the role streams again.',
  )
}

keepFilesPrivate()
await main().catch((error) => {
  process.stderr.write(lastWords(error))
  process.exitCode = 1
})
