import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { InvalidConfig } from '../infra/config.ts'
import { openPartitionControl, openServedIndex } from '../infra/engines/servers.ts'
import { type Engines, migrateAnalytics, openIndexReplacement } from '../infra/engines.ts'
import type { IndexReplacement } from '../infra/product-index/embedded/replacement.ts'
import { createIndexer, INDEXER_GROUP } from '../streams/indexer/indexer.ts'
import { CORRECTIONS_GROUP } from '../streams/judge/corrections.ts'
import { COUNTERS_LOOK_MS } from '../streams/judge/counters-repair.ts'
import { JUDGE_GROUP } from '../streams/judge/recount/judged-up-to.ts'
import { proveCounters } from '../streams/rebuild/counters.ts'
import { rebuildIndexBeside } from '../streams/rebuild/index-beside.ts'
import { rebuildIndex } from '../streams/rebuild/product-index.ts'
import { rebuildAnalytics } from '../streams/rebuild/rebuild.ts'
import { RebuildRefused, rebuildTableBeside, topicsByTable } from '../streams/rebuild/table-beside.ts'
import type { TableProof } from '../streams/rebuild/table-proof.ts'
import { createPeriodic } from '../streams/runtime/periodic.ts'
import { SINK_GROUP } from '../streams/sink/offset-metadata.ts'
import { lastWords } from './domain/errors.ts'
import { keepFilesPrivate } from './process/data-folder.ts'
import { createLogger } from './process/logger.ts'
import { readCommandConfig, withEngines } from './with-engines.ts'

/**
 * Rebuilds projections from the log, and prints what each table, index and counter held before and after. ENGINE names one of
 * them, which is rebuilt next to the one that serves. Without ENGINE, all are dropped first, and the server must not be
 * running. Exits with status 1 when any differs.
 */
keepFilesPrivate()
const config = readCommandConfig()
const logger = createLogger(config.logLevel)
const now = Date.now
const opening = { config, logger, prepares: true }
const say = (line: string) => process.stdout.write(`${line}\n`)

const GROUPS = [JUDGE_GROUP, CORRECTIONS_GROUP, SINK_GROUP, INDEXER_GROUP]
/** Waited in addition to the session timeout, after which a killed process of streams has left its consumer group. */
const LEAVING_MS = 5_000
const LEAVING_LOOK_MS = 1_000

/**
 * Waits until no streams run: a projection that is emptied while its stream goes on stays empty. An embedded log need not be
 * checked, because only one process can open it.
 * @throws RebuildRefused; nothing was changed.
 */
async function untilStreamsStopped(): Promise<void> {
  const { kafka } = config.engines
  if (kafka === null) return
  const control = await openPartitionControl(config.engines, logger)
  for (const giveUpAt = now() + kafka.sessionTimeoutMs + LEAVING_MS; ; await delay(LEAVING_LOOK_MS)) {
    const running = await control.activeGroups(GROUPS)
    if (running.length === 0) return
    if (now() > giveUpAt) {
      throw new RebuildRefused(
        `Streams are running: ${running.join(', ')}. Stop every process with the role streams, or set ENGINE to rebuild one ` +
          'projection while they run',
      )
    }
  }
}

async function rebuildAll(): Promise<TableProof[]> {
  await untilStreamsStopped()
  return withEngines(opening, async ({ log, analytics, index, counters }, snapshot) => {
    const runId = randomUUID
    const migrate = (tables: Engines['analytics']) => migrateAnalytics(tables, config.engines)
    // The judge comes first: it may still have records to append to the log.
    const proofs = [await proveCounters({ log, snapshot, counters, now, logger })]
    proofs.push(
      await rebuildIndex({ log, snapshot, index, now, logger }),
      ...(await rebuildAnalytics({ log, analytics, migrate, now, runId, logger })),
    )
    return proofs
  })
}

const isReplacing = () => process.env.REPLACE === 'yes'

async function rebuildProductIndex(): Promise<TableProof[]> {
  const replaces = isReplacing()
  const served = await openServedIndex(config.engines)
  if (served === null) return rebuildEmbeddedIndex()
  try {
    return proofsOf(await rebuildIndexBeside({ index: served, replaces, say, now }))
  } finally {
    await served.close()
  }
}

/** Only this process has the folder open, so it runs the indexer itself. */
async function rebuildEmbeddedIndex(): Promise<TableProof[]> {
  const replacements: IndexReplacement[] = []
  try {
    return await withEngines(opening, async ({ log, ...engines }, snapshot) => {
      // Only now, since it removes what an earlier command has left, and the engines show that no other command is working.
      const replacement = await openIndexReplacement(config.dataFolder)
      replacements.push(replacement)
      const index = { ...engines.index, builds: replacement.builds }
      const indexer = createIndexer({ log, index, snapshot, now, logger })
      const builds = createPeriodic({ name: 'index-build', turn: indexer.buildTurn, pauseMs: 100, now, logger })
      const ended = [indexer.run(), builds.run()]
      try {
        return proofsOf(await rebuildIndexBeside({ index, replaces: isReplacing(), say, now }))
      } finally {
        await Promise.all([indexer.stop(), builds.stop(), ...ended])
      }
    })
  } finally {
    for (const each of replacements) await each.close()
  }
}

/** Rebuilds all tables that the sink fills, or only the one that TABLE names. */
async function rebuildTables(): Promise<TableProof[]> {
  const named = process.env.TABLE ?? ''
  const tables = named === '' ? [...topicsByTable.keys()] : [named]
  if (named !== '' && !topicsByTable.has(named)) {
    throw new InvalidConfig(`TABLE must be one of ${[...topicsByTable.keys()].join(', ')}, or left out for all of them`)
  }
  if (config.engines.clickhouse?.cluster) {
    throw new InvalidConfig(
      'ENGINE=clickhouse works only with a single server. On a cluster, leave ENGINE out to rebuild everything',
    )
  }
  return withEngines(opening, async ({ log, analytics }) => {
    const proofs: TableProof[] = []
    for (const table of tables) {
      proofs.push(await rebuildTableBeside(table, { log, analytics, replaces: isReplacing(), say, now }))
    }
    return proofs
  })
}

const proofsOf = (proof: TableProof | null) => (proof === null ? [] : [proof])

/** What Redis has lost is recounted by the running streams; this reports how far they are. Embedded counters are rebuilt here. */
const rebuildCounters = () =>
  withEngines(opening, async ({ log, counters }, snapshot) => {
    if (!config.engines.redis) return [await proveCounters({ log, snapshot, counters, now, logger })]
    say('The running processes with the role streams detect what Redis has lost, and recount it from the log.')
    for (let told = -1; ; await delay(COUNTERS_LOOK_MS)) {
      const shards = await counters.complete()
      const complete = shards.filter(Boolean).length
      if (complete !== told) say(`${complete} of ${shards.length} shards of the counters are complete.`)
      told = complete
      if (complete === shards.length) return []
    }
  })

const rebuildOf: Readonly<Record<string, () => Promise<TableProof[]>>> = {
  elasticsearch: rebuildProductIndex,
  clickhouse: rebuildTables,
  redis: rebuildCounters,
}

/** Whoever names a table or a replacement means one projection: without ENGINE all would be dropped. */
function refuseUnused(engine: string): void {
  const { TABLE: table = '', REPLACE: replace = '' } = process.env
  if (table !== '' && engine !== 'clickhouse') throw new InvalidConfig('TABLE needs ENGINE=clickhouse')
  if (replace !== '' && !['elasticsearch', 'clickhouse'].includes(engine)) {
    throw new InvalidConfig('REPLACE needs ENGINE=elasticsearch or ENGINE=clickhouse')
  }
  if (!['', 'yes'].includes(replace)) throw new InvalidConfig('REPLACE must be yes, or left out')
}

async function main(): Promise<void> {
  const engine = process.env.ENGINE ?? ''
  const rebuild = engine === '' ? rebuildAll : rebuildOf[engine]
  if (rebuild === undefined) {
    throw new InvalidConfig(`ENGINE must be one of ${Object.keys(rebuildOf).join(', ')}, or left out to rebuild all`)
  }
  refuseUnused(engine)
  const proofs = await rebuild()
  if (proofs.length > 0) console.table(proofs)
  const differing = proofs.filter(({ equal }) => !equal).map(({ table }) => table)
  say(
    differing.length === 0
      ? 'Every projection is as it was.'
      : `These projections are not as they were: ${differing.join(', ')}`,
  )
  process.exitCode = differing.length === 0 ? 0 : 1
}

await main().catch((error: Error) => {
  process.stderr.write(lastWords(error))
  process.exit(1)
})
