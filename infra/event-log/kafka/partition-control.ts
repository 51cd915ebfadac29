import { setTimeout as sleep } from 'node:timers/promises'
import { type TopicName, topicNames } from '../../../schemas/topics.ts'
import { asAdmin } from './admin.ts'
import type { KafkaAddress } from './client/broker-client.ts'
import { rootOf } from './client/errors.ts'
import { namingTheRight } from './client/rights.ts'
import { namesIn } from './names.ts'

const GROW_TIMEOUT_MS = 30_000
const GROWN_KNOWN_MAX_MS = 60_000
const GROWN_KNOWN_AGAIN_MS = 200

/** Reads and raises the numbers of partitions. */
export function createPartitionControl(options: KafkaAddress & { namespace: string }) {
  const names = namesIn(options.namespace)

  const counts = () =>
    asAdmin(options, async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: topicNames.map(names.topic) })
      return new Map<TopicName, number>(topics.map(({ name, partitions }) => [names.topicOf(name)!, partitions.length]))
    })

  return {
    counts,

    /** Adds partitions by one request, which the controller stores as one step, and waits until the brokers know them. */
    async grow(growth: ReadonlyMap<TopicName, number>): Promise<void> {
      if (growth.size === 0) return
      const topicPartitions = [...growth].map(([topic, count]) => ({ topic: names.topic(topic), count }))
      await asAdmin(options, (admin) => admin.createPartitions({ topicPartitions, timeout: GROW_TIMEOUT_MS })).catch(
        (error) => {
          const refusal = namingTheRight(rootOf(error), 'CreatePartitions', { topic: topicPartitions[0]!.topic })
          throw new Error(`Kafka has refused: ${refusal.message}`, { cause: refusal })
        },
      )
      const deadline = performance.now() + GROWN_KNOWN_MAX_MS
      for (;;) {
        const known = await counts()
        if ([...growth].every(([topic, count]) => known.get(topic) === count)) return
        if (performance.now() > deadline) throw new Error('The brokers do not tell of the partitions that were added')
        await sleep(GROWN_KNOWN_AGAIN_MS)
      }
    },

    /** Which of these groups have members. */
    activeGroups: (groups: readonly string[]) =>
      asAdmin(options, async (admin) => {
        const described = await admin.describeGroups(groups.map(names.group))
        return groups.filter((group) =>
          described.groups.some(({ groupId, members }) => groupId === names.group(group) && members.length > 0),
        )
      }),
  }
}
