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

const JOIN_GROUP = 11
/** Longer than a broker takes to see a request. */
const SEEN_MS = 300

/**
 * Sockets that break after they have sent a join of a group's member, whose answer is lost.
 * @param joins how many of them break.
 */
export function socketsThatLoseJoins(joins: number): { create: ISocketFactory; left(): number } {
  let left = joins
  return {
    left: () => left,
    create({ host, port, onConnect }) {
      const socket = connect({ host, port }, onConnect)
      const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
      socket.write = ((request: Buffer, ...args: unknown[]) => {
        if (left > 0 && isJoinOfMember(request)) {
          left--
          socket.removeAllListeners('data').pause()
          setTimeout(() => socket.destroy(new Error('cut')), SEEN_MS)
        }
        return write(request, ...args)
      }) as typeof socket.write
      return socket
    },
  }
}

/** Whether a request is a JoinGroup that names the member: a first one only asks for the member's id. */
function isJoinOfMember(request: Buffer): boolean {
  if (request.readInt16BE(4) !== JOIN_GROUP) return false
  const afterClientId = 14 + request.readInt16BE(12)
  const afterGroup = afterClientId + 2 + request.readInt16BE(afterClientId)
  return request.readInt16BE(afterGroup + 8) > 0
}

/** The ids of the members that Kafka counts to a group. */
export async function membersOfGroup(groupId: string): Promise<string[]> {
  const admin = new kafkajs.Kafka({ brokers: addresses.kafkaBrokers, logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const { groups } = await admin.describeGroups([groupId])
    return groups[0]!.members.map(({ memberId }) => memberId)
  } finally {
    await admin.disconnect()
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
