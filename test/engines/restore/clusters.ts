import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { engineOffsets, MIRROR_MAKER_PORT } from '../../free-port.ts'
import { signalEngine } from '../engine-process.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../../..')
const folder = join(tmpdir(), 'endcap-mirror')
/** Includes the time for downloads that are needed once. */
const START_TIMEOUT_MS = 300_000

export type ClusterName = keyof typeof engineOffsets.mirrored

/** Two clusters with one broker each, and MirrorMaker 2 from the first to the second. */
export interface MirroredClusters {
  addressOf(name: ClusterName): string
  startMirror(): Promise<void>
  /** Resolves when the process is gone. */
  killMirror(): Promise<void>
  /** Resolves when the broker is gone. */
  kill(name: ClusterName): Promise<void>
  /** Ends all processes and removes their data. */
  remove(): Promise<void>
}

const addressOf = (name: ClusterName) => `127.0.0.1:${19_092 + engineOffsets.mirrored[name]}`

/**
 * The settings that docs/restore.md asks for. The rest is for clusters with one broker, for restarts without a wait, and for starts
 * that do not search all classes for plugins.
 */
const mirrorSettings = (namespace: string) => `
clusters = first, second
first.bootstrap.servers = ${addressOf('first')}
second.bootstrap.servers = ${addressOf('second')}
first->second.enabled = true
first->second.topics = ${namespace}\\..*
replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy
dedicated.mode.enable.internal.rest = true
second.exactly.once.source.support = enabled
first.consumer.isolation.level = read_committed
first->second.sync.group.offsets.enabled = false
sync.topic.acls.enabled = false
emit.heartbeats.enabled = false
listeners = http://127.0.0.1:${MIRROR_MAKER_PORT}
replication.factor = 1
offset-syncs.topic.replication.factor = 1
checkpoints.topic.replication.factor = 1
offset.storage.replication.factor = 1
status.storage.replication.factor = 1
config.storage.replication.factor = 1
scheduled.rebalance.max.delay.ms = 0
plugin.discovery = service_load
`

/** Starts the brokers, after removing what an earlier run has left. */
export async function startClusters(namespace: string): Promise<MirroredClusters> {
  const properties = join(folder, 'mirror-maker.properties')
  const script = (action: 'start' | 'stop', engine: string, name: ClusterName) =>
    run('bash', [join(repository, 'infra/local/engines.sh'), action, engine], {
      timeout: START_TIMEOUT_MS,
      env: {
        ...process.env,
        ENGINES_DIR: join(folder, name),
        ENGINES_PORT_OFFSET: String(engineOffsets.mirrored[name]),
        KAFKA_HEAP: '256m',
        MIRROR_MAKER_PROPERTIES: properties,
        ENGINES_SHORT_LIVED: 'yes',
      },
    })

  async function remove(): Promise<void> {
    await script('stop', 'mirror-maker', 'first')
    await Promise.all((['first', 'second'] as const).map((name) => script('stop', 'kafka', name)))
    await rm(folder, { recursive: true, force: true })
  }

  await remove()
  await mkdir(folder, { recursive: true })
  await writeFile(properties, mirrorSettings(namespace))
  await Promise.all((['first', 'second'] as const).map((name) => script('start', 'kafka', name)))
  return {
    addressOf,
    async startMirror() {
      await script('start', 'mirror-maker', 'first')
    },
    killMirror: () => signalEngine(join(folder, 'first/mirror-maker'), 'SIGKILL'),
    kill: (name) => signalEngine(join(folder, name, 'kafka'), 'SIGKILL'),
    remove,
  }
}
