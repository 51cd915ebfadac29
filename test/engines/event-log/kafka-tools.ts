import { connect, type Socket } from 'node:net'
import kafkajs, { type ISocketFactory } from 'kafkajs'
import { patchKafkajs } from '../../../infra/event-log/kafka/client/patches.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { addresses } from '../addresses.ts'

/** Sockets to the broker that can be cut, or blocked in either direction like those of a frozen broker or network. */
export function faultySockets() {
  const sockets = new Set<Socket>()
  let isCut = false
  let holdsAnswers = false
  const silenced = new WeakSet<Socket>()
  const held: (() => void)[] = []

  const create: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port }, onConnect)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (isCut) socket.destroy(new Error('cut'))
    const emit = socket.emit.bind(socket)
    // kafkajs receives the broker's answers through events of the socket.
    socket.emit = ((event: string, ...args: unknown[]) => {
      if (event === 'data' && silenced.has(socket)) return true
      if (event !== 'data' || !holdsAnswers) return emit(event, ...args)
      held.push(() => emit(event, ...args))
      return true
    }) as typeof socket.emit
    return socket
  }

  return {
    create,
    /** Breaks all connections, and refuses new ones. */
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy(new Error('cut'))
    },
    mend() {
      isCut = false
    },
    /** From now on, the current connections never receive anything, as behind a firewall that has forgotten them. */
    silence() {
      for (const socket of sockets) silenced.add(socket)
    },
    /** Lets requests through and holds back the answers. */
    holdAnswers() {
      holdsAnswers = true
    },
    releaseAnswers() {
      holdsAnswers = false
      for (const give of held.splice(0)) give()
    },
  }
}

/** Removes all topics and groups of a namespace. */
export async function removeKafkaNamespace(
  namespace: string,
  brokers: readonly string[] = addresses.kafkaBrokers,
): Promise<void> {
  patchKafkajs()
  const kafka = new kafkajs.Kafka({
    brokers: [...brokers],
    clientId: 'test',
    logLevel: kafkajs.logLevel.NOTHING,
  })
  const admin = kafka.admin()
  await admin.connect()
  try {
    const isOurs = (name: string) => name.startsWith(`${namespace}.`)
    const { groups } = await admin.listGroups()
    const groupIds = groups.map(({ groupId }) => groupId).filter(isOurs)
    // A member that has just crashed may still hold its group. The group disappears by itself when its topics are gone.
    if (groupIds.length > 0) await admin.deleteGroups(groupIds).catch(() => {})
    const topics = (await admin.listTopics()).filter(isOurs)
    if (topics.length > 0) await admin.deleteTopics({ topics })
  } finally {
    await admin.disconnect()
  }
}

/** Removes all records that a topic holds now, as retention would later. */
export async function forgetRecords(namespace: string, topic: TopicName): Promise<void> {
  const admin = new kafkajs.Kafka({ brokers: addresses.kafkaBrokers, logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const name = `${namespace}.${topic}`
    const partitions = (await admin.fetchTopicOffsets(name)).map(({ partition, high }) => ({ partition, offset: high }))
    await admin.deleteTopicRecords({ topic: name, partitions })
  } finally {
    await admin.disconnect()
  }
}
