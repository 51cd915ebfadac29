import { type TopicName, unitOf } from '../../../../schemas/topics.ts'
import { LogUnavailable } from '../../port.ts'
import type { BrokerClient } from '../client/broker-client.ts'
import type { KafkaNames } from '../names.ts'

/** How many partitions each of these topics has at least: more may be added meanwhile. The map may hold other topics, too. */
export type KnownPartitions = (
  topics: readonly TopicName[],
  deadline: number,
) => Promise<ReadonlyMap<TopicName, number>>

/** Asks once for each topic. For writers that a process does not keep open while partitions are added. */
export function partitionsAtFirst(client: BrokerClient, names: KafkaNames): KnownPartitions {
  const counts = new Map<TopicName, number>()
  return async (topics, deadline) => {
    for (const topic of topics) {
      if (!counts.has(topic)) counts.set(topic, (await client.leaders(names.topic(topic), deadline)).size)
    }
    return counts
  }
}

/** The brokers are asked again after this long, while appends go on. */
const ASK_AGAIN_MS = 2_000
/** No record is appended by numbers that are older than this. */
export const PARTITIONS_KNOWN_MAX_MS = 5_000
const ASKING_MAX_MS = 5_000

/**
 * The current numbers, for appends that go on while partitions are added. A topic takes no records while it has fewer partitions
 * than another topic of its unit: it is about to get as many, and the records of its keys in the old partitions must be judged first.
 * @param clients `appends` is the client that appends, which must find the brokers anyway. `background` asks independently of it, so
 * that appends do not wait for a broker that answers nothing. @param nowMs the clock of deadlines.
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
    // While this fails, appends ask by themselves once the known numbers are too old.
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
