import { setTimeout as sleep } from 'node:timers/promises'
import { LogUnavailable } from '../../port.ts'
import type { BrokerClient } from '../client/broker-client.ts'
import { remedyFor } from '../client/errors.ts'
import { type ListedOffset, listOffsetsRequest, type OffsetQuestion } from '../client/protocol/requests.ts'
import { namingTheRight } from '../client/rights.ts'

const RETRY_MS = 50

/**
 * Asks each broker once about all partitions that it leads, and again about those whose leader has changed.
 * @param topic full name.
 * @returns an offset for each of the partitions. @throws LogUnavailable after the deadline; Kafka's error when a retry is of no use.
 */
export async function offsetsOf(
  client: Pick<BrokerClient, 'leaders' | 'send' | 'refresh'>,
  topic: string,
  partitions: readonly number[],
  question: OffsetQuestion,
  deadline: number,
): Promise<Map<number, number>> {
  const offsets = new Map<number, number>()
  for (let left = partitions; ; ) {
    const leaders = await client.leaders(topic, deadline)
    const groups = [...Map.groupBy(left, (partition) => leaders.get(partition)).values()]
    const answers = await Promise.all(groups.map((group) => askLeader(client, topic, group, question, deadline)))
    for (const { partition, error, offset } of answers.flat()) {
      if (!error) offsets.set(partition, offset)
      else if (remedyFor(error) === 'NONE') throw namingTheRight(error, 'ListOffsets', { topic })
    }
    left = left.filter((partition) => !offsets.has(partition))
    if (left.length === 0) return offsets
    if (performance.now() + RETRY_MS > deadline) {
      throw new LogUnavailable(`Kafka has not said where partition ${left[0]} of ${topic} begins and ends`)
    }
    client.refresh()
    await sleep(RETRY_MS)
  }
}

/** @param partitions of one leader, which answers for each of them: with an error for those that it no longer leads. */
function askLeader(
  client: Pick<BrokerClient, 'send'>,
  topic: string,
  partitions: readonly number[],
  question: OffsetQuestion,
  deadline: number,
): Promise<ListedOffset[]> {
  const request = listOffsetsRequest(topic, partitions, question)
  return client.send({ leaderOf: { topic, partition: partitions[0]! } }, request, deadline)
}
