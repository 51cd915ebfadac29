import { randomBytes } from 'node:crypto'
import { InvalidConfig } from '../../infra/config.ts'
import { readEngineConfig } from '../../infra/engine-config.ts'
import { closeEngines, connectEngines, type Engines, startEngines } from '../../infra/engines.ts'

const logger = { info() {}, warn: console.warn }

/**
 * The engines for a benchmark, chosen as the program does: embedded in `folder`, except those whose address is in the environment.
 * The latter use a namespace of their own.
 */
export async function openEngines(folder: string): Promise<Engines & { namespace: string; close(): Promise<void> }> {
  const namespace = `bench${randomBytes(4).toString('hex')}`
  const problems: string[] = []
  const oneNode = process.env.ELASTICSEARCH_URL ? { ELASTICSEARCH_REPLICAS: '0' } : {}
  const config = readEngineConfig({ NAMESPACE: namespace, ...oneNode, ...process.env }, problems)
  if (problems.length > 0) throw new InvalidConfig(problems.join('\n'))
  const host = await startEngines({ folder, config, logger })
  const engines = await connectEngines(host.links(), logger)
  return {
    ...engines,
    namespace: config.namespace,
    async close() {
      await closeEngines(engines)
      await host.stop()
    },
  }
}
