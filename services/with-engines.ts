import type { Logger } from 'pino'
import { type Config, InvalidConfig, readConfig } from '../infra/config.ts'
import { closeEngines, connectEngines, type Engines, startEngines } from '../infra/engines.ts'
import { Snapshot } from './domain/snapshot.ts'
import { throwIfCopied, throwIfHalfRestored } from './process/data-folder.ts'
import { followRegistry } from './replicas/registry-follower.ts'

/** The settings of a command. When one cannot be used, says so and ends the process with status 1. */
export function readCommandConfig(): Config {
  try {
    return readConfig({ LOG_LEVEL: 'warn', ...process.env })
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/**
 * Opens the engines and a copy of the registry for as long as a command's work takes.
 * @param prepares whether topics, tables and mappings are created first.
 */
export async function withEngines<T>(
  { config, logger, prepares }: { config: Config; logger: Logger; prepares: boolean },
  work: (engines: Engines, snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  throwIfHalfRestored(config.dataFolder)
  if (config.engines.kafka === null) throwIfCopied(config.dataFolder)
  const closes: (() => Promise<unknown>)[] = []
  try {
    const host = await startEngines({ folder: config.dataFolder, config: config.engines, prepares, logger })
    closes.push(() => host.stop())
    const engines = await connectEngines(host.links(), logger)
    closes.push(() => closeEngines(engines))
    const snapshot = new Snapshot()
    const registry = await followRegistry({ log: engines.log, snapshot })
    closes.push(() => registry.close())
    return await work(engines, snapshot)
  } finally {
    for (const close of closes.reverse()) await close()
  }
}
