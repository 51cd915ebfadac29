import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import kafkajs from 'kafkajs'
import { openBrokerClient } from '../../../infra/event-log/kafka/client/broker-client.ts'
import { patchKafkajs } from '../../../infra/event-log/kafka/client/patches.ts'
import { alterTopicsRequest } from '../../../infra/event-log/kafka/client/protocol/requests.ts'
import { engineOffsets } from '../../free-port.ts'
import { waitFor } from '../../wait-for.ts'
import { signalEngine } from '../engine-process.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../../..')
const folder = join(tmpdir(), 'endcap-brokers')
const START_TIMEOUT_MS = 300_000
const IN_SYNC_WITHIN_MS = 120_000
/** An arbitrary id. It only has to be the same for all brokers. */
const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qg'

export const REPLICAS = 3
/** A broker that is silent for this long loses its partitions. */
const BROKER_SESSION_MS = 4_000

/** How long brokers wait for an answer of a frozen broker, for example to the markers of a transaction. */
const BROKER_REQUEST_MS = 5_000

const GROUP_PARTITIONS = 6

export const brokerIds = [1, 2, 3] as const
export type BrokerId = (typeof brokerIds)[number]

const kafkaPort = (id: BrokerId) => 19_092 + engineOffsets.brokers[id]
const folderOf = (id: BrokerId) => join(folder, String(id))
const address = (id: BrokerId) => `127.0.0.1:${kafkaPort(id)}`

/** Three brokers, each with a replica of every partition. A write needs two of them. They are the controllers too. */
const settingsOf = (id: BrokerId) => `
node.id=${id}
controller.quorum.voters=${brokerIds.map((each) => `${each}@127.0.0.1:${kafkaPort(each) + 1}`).join(',')}
broker.session.timeout.ms=${BROKER_SESSION_MS}
broker.heartbeat.interval.ms=500
min.insync.replicas=2
request.timeout.ms=${BROKER_REQUEST_MS}
offsets.topic.replication.factor=${REPLICAS}
offsets.topic.num.partitions=${GROUP_PARTITIONS}
transaction.state.log.replication.factor=${REPLICAS}
transaction.state.log.min.isr=2
transaction.state.log.num.partitions=6
`

export interface BrokerCluster {
  readonly addresses: readonly string[]
  start(id: BrokerId): Promise<void>
  /** After SIGKILL or SIGTERM, resolves when the process is gone. */
  signal(id: BrokerId, signal: NodeJS.Signals): Promise<void>
  /** Removes the data of a broker that is not running. */
  wipe(id: BrokerId): Promise<void>
  /** The leader of a partition; `topic` is its full name. All brokers must run. */
  leaderOf(topic: string, partition: number): Promise<BrokerId>
  /** Sets how many replicas of a topic must be in sync for a write. */
  setMinInSync(topic: string, copies: number): Promise<void>
  /** The coordinator of a group, given by its full name. All brokers must run. */
  coordinatorOf(group: string): Promise<BrokerId>
  /** Resolves when every broker has all records of every partition. */
  untilInSync(): Promise<void>
  /** Ends all brokers and removes their data. */
  remove(): Promise<void>
}

/** Starts all three brokers, after removing what an earlier run has left. */
export async function startCluster(): Promise<BrokerCluster> {
  const running = new Set<BrokerId>()
  const script = (action: 'start' | 'stop', id: BrokerId) =>
    run('bash', [join(repository, 'infra/local/engines.sh'), action, 'kafka'], {
      timeout: START_TIMEOUT_MS,
      env: {
        ...process.env,
        ENGINES_DIR: folderOf(id),
        ENGINES_PORT_OFFSET: String(engineOffsets.brokers[id]),
        KAFKA_CLUSTER_ID: CLUSTER_ID,
        KAFKA_PROPERTIES: join(folderOf(id), 'settings'),
        KAFKA_HEAP: '256m',
        ENGINES_SHORT_LIVED: 'yes',
      },
    })

  async function start(id: BrokerId): Promise<void> {
    await mkdir(folderOf(id), { recursive: true })
    await writeFile(join(folderOf(id), 'settings'), settingsOf(id))
    running.add(id)
    await script('start', id)
  }

  async function signal(id: BrokerId, name: NodeJS.Signals): Promise<void> {
    if (name === 'SIGKILL' || name === 'SIGTERM') running.delete(id)
    await signalEngine(join(folderOf(id), 'kafka'), name)
  }

  async function remove(): Promise<void> {
    // Kill them: without two others, a broker that is told to stop waits in vain to hand over its partitions.
    await Promise.all([...running].map((id) => signal(id, 'SIGKILL')))
    await rm(folder, { recursive: true, force: true })
  }

  patchKafkajs()
  const addresses = brokerIds.map(address)
  const kafka = new kafkajs.Kafka({ brokers: addresses, clientId: 'test', logLevel: kafkajs.logLevel.NOTHING })

  /** Asks with a new client, whose metadata is current, so that it asks no broker that is gone. */
  async function ask<T>(question: (admin: kafkajs.Admin) => Promise<T>): Promise<T> {
    const admin = kafka.admin()
    try {
      await admin.connect()
      return await question(admin)
    } finally {
      await admin.disconnect().catch(() => {})
    }
  }

  async function isInSync(): Promise<boolean> {
    const { topics } = await ask((admin) => admin.fetchTopicMetadata())
    return topics.every(({ partitions }) => partitions.every(({ isr }) => isr.length === REPLICAS))
  }

  async function leaderOf(topic: string, partition: number): Promise<BrokerId> {
    const { topics } = await ask((admin) => admin.fetchTopicMetadata({ topics: [topic] }))
    return topics[0]!.partitions.find(({ partitionId }) => partitionId === partition)!.leader as BrokerId
  }

  if (existsSync(folder)) await Promise.all(brokerIds.map((id) => script('stop', id)))
  await remove()
  await Promise.all(brokerIds.map(start))
  return {
    addresses,
    start,
    signal,
    wipe: (id) => rm(join(folderOf(id), 'kafka'), { recursive: true, force: true }),
    leaderOf,
    async setMinInSync(topic, copies) {
      const client = openBrokerClient({ brokers: addresses, clientId: 'test', logger: { warn() {} } })
      const settings = [{ name: 'min.insync.replicas', value: String(copies) }]
      await client.send('ANY', alterTopicsRequest([{ topic, settings }]), performance.now() + IN_SYNC_WITHIN_MS)
      await client.close()
    },
    // Computed as in GroupCoordinator.partitionFor.
    coordinatorOf: (group) => leaderOf('__consumer_offsets', (javaHashOf(group) & 0x7fffffff) % GROUP_PARTITIONS),
    untilInSync: () => waitFor(() => isInSync().catch(() => false), IN_SYNC_WITHIN_MS),
    remove,
  }
}

const javaHashOf = (text: string) => [...text].reduce((hash, char) => (Math.imul(hash, 31) + char.charCodeAt(0)) | 0, 0)
