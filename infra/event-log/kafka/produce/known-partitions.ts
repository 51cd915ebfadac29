import { type TopicName, unitOf } from '../../../../schemas/topics.ts'
import { LogUnavailable } from '../../port.ts'
import type { BrokerClient } from '../client/broker-client.ts'
import type { KafkaNames } from '../names.ts'

/** How many partitions each of these topics has, at least. */
export type KnownPartitions = (
  topics: readonly TopicName[],
  deadline: number,
) => Promise<ReadonlyMap<TopicName, number>>

/** Asked for once, for writers that a process does not keep while partitions are added. */
export function partitionsAtFirst(client: BrokerClient, names: KafkaNames): KnownPartitions {
  const counts = new Map<TopicName, number>()
  return async (topics, deadline) => {
    for (const topic of topics) {
      if (!counts.has(topic)) counts.set(topic, (await client.leaders(names.topic(topic), deadline)).size)
    }
    return counts
  }
}

/** The brokers are asked again after so long, while appends go on. */
const ASK_AGAIN_MS = 2_000
/** No record is appended by numbers that are older. */
export const PARTITIONS_KNOWN_MAX_MS = 5_000
const ASKING_MAX_MS = 5_000

/**
 * As they are now, for appends that go on while partitions are added: a topic takes none while it has fewer partitions than
 * another of its unit, because it is about to get as many, and what its keys have in the old ones must be judged before.
 * @param clients `appends` is the one that appends: it must find the brokers anyway. `background` asks beside it, so that appends
 * do not wait for a broker that answers nothing. @param nowMs by the clock of deadlines.
 */
export function partitionsNow(
  clients: { appends: BrokerClient; background: BrokerClient },
  names: KafkaNames,
  nowMs: () => number,
): KnownPartitions {
  const wanted = new Set<TopicName>()
  let known: { counts: ReadonlyMap<TopicName, number>; at: number } | null = null
  let isAsking = false

  async function ask(client: BrokerClient, deadline: number): Promise<void> {
    const at = nowMs()
    client.refresh()
    const counts = new Map<TopicName, number>()
    for (const topic of wanted) counts.set(topic, (await client.leaders(names.topic(topic), deadline)).size)
    if (known === null || at >= known.at) known = { counts, at }
  }

  function askInBackground(): void {
    if (isAsking) return
    isAsking = true
    // While it fails, appends ask by themselves once what is known is too old.
    void ask(clients.background, nowMs() + ASKING_MAX_MS)
      .catch(() => {})
      .finally(() => {
        isAsking = false
      })
  }

  return async (topics, deadline) => {
    for (const topic of topics) for (const each of unitOf(topic)) wanted.add(each)
    const isKnown = () => topics.every((topic) => known?.counts.has(topic))
    if (!isKnown() || nowMs() - known!.at > PARTITIONS_KNOWN_MAX_MS) await ask(clients.appends, deadline)
    const { counts, at } = known!
    if (nowMs() - at > ASK_AGAIN_MS) askInBackground()
    for (const topic of topics) {
      if (unitOf(topic).some((each) => counts.get(each)! > counts.get(topic)!)) {
        throw new LogUnavailable(`${topic} is getting more partitions`)
      }
    }
    return counts
  }
}
