import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../free-port.ts'

const run = promisify(execFile)
const SCRIPT = join(import.meta.dirname, '../../../infra/local/engines.sh')
const TICKS_PER_SECOND = 100

/** A node of a cluster of Elasticsearch that a test or benchmark has started for itself. */
export interface OwnNode {
  name: string
  url: string
  /** The processor time that the node has used since its start, in seconds. */
  processorSeconds(): number
}

export interface OwnNodes {
  nodes: readonly OwnNode[]
  remove(): Promise<void>
}

/** Starts the nodes of a new cluster. */
export async function startNodes(count: number): Promise<OwnNodes> {
  const folder = mkdtempSync(join(tmpdir(), 'nodes-'))
  // Elasticsearch refuses to run as root: its user must find its files.
  chmodSync(folder, 0o755)
  const ports = await Promise.all(
    Array.from({ length: count }, async () => ({ http: await freePort(), transport: await freePort() })),
  )
  const engine = (action: 'start' | 'stop', at: number) => {
    const own = join(folder, `${at}`)
    mkdirSync(own, { recursive: true })
    const { http, transport } = ports[at]!
    const listening = { ELASTICSEARCH_PORT: `${http}`, ELASTICSEARCH_TRANSPORT_PORT: `${transport}` }
    const joining = { ELASTICSEARCH_SEED_PORT: `${ports[0]!.transport}`, ELASTICSEARCH_HEAP: '512m' }
    return run('bash', [SCRIPT, action, 'elasticsearch'], {
      env: { ...process.env, ENGINES_DIR: own, ...listening, ...joining },
    })
  }
  const remove = async () => {
    await Promise.all(ports.map((_, at) => engine('stop', at)))
    rmSync(folder, { recursive: true })
  }
  try {
    // The first one founds the cluster.
    for (const at of ports.keys()) await engine('start', at)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    nodes: ports.map(({ http, transport }, at) => ({
      name: `node-${transport}`,
      url: `http://127.0.0.1:${http}`,
      processorSeconds: () => processorSecondsOf(join(folder, `${at}`, 'elasticsearch-run/process')),
    })),
    remove,
  }
}

function processorSecondsOf(processFile: string): number {
  const id = readFileSync(processFile, 'utf8').split(' ')[0]!
  const [user, system] = readFileSync(`/proc/${id}/stat`, 'utf8').replace(/.*\) /, '').split(' ').slice(11, 13)
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}
