import { setTimeout as sleep } from 'node:timers/promises'
import { LogUnavailable } from '../../port.ts'
import { remedyFor } from '../client/errors.ts'
import type { Link } from '../client/link.ts'
import { type ProducedPartition, produceRequest, send } from '../client/requests.ts'

const RETRY_MS = 50

/** An encoded batch on its way. It is sent as it is, however often: the broker knows it by its sequence. */
export interface OutgoingBatch {
  /** Full name. */
  topic: string
  partition: number
  bytes: Buffer
  /** Called once, with the offset of the first record or with why it is not known to be stored. */
  settle(result: number | Error): void
}

/**
 * Stores one batch in each of some partitions, each settled as soon as its broker has answered.
 * Repeats what failed for now until `until`, by `performance.now()`; then it settles with LogUnavailable. Never rejects.
 */
export async function produce(
  link: Link,
  { batches, transactionalId, until }: { batches: OutgoingBatch[]; transactionalId: string | null; until: number },
): Promise<void> {
  try {
    const leaders = await leadersOf(link, batches, until)
    await Promise.all([...leaders.values()].map((group) => produceTo(link, group, transactionalId, until)))
  } catch (error) {
    for (const { settle } of batches) settle(error as Error)
  }
}

async function leadersOf(link: Link, batches: OutgoingBatch[], until: number): Promise<Map<number, OutgoingBatch[]>> {
  const groups = new Map<number, OutgoingBatch[]>()
  for (const batch of batches) {
    const leader = (await link.leaders(batch.topic, until)).get(batch.partition) ?? -1
    const group = groups.get(leader)
    if (group) group.push(batch)
    else groups.set(leader, [batch])
  }
  return groups
}

async function produceTo(
  link: Link,
  group: OutgoingBatch[],
  transactionalId: string | null,
  until: number,
): Promise<void> {
  const again: OutgoingBatch[] = []
  try {
    const timeoutMs = Math.max(1, Math.round(until - performance.now()))
    const request = produceRequest(transactionalId, group, timeoutMs)
    const answers = await link.request({ leaderOf: group[0]! }, (broker) => send(broker, request), until)
    const answerOf = new Map(answers.map((answer) => [`${answer.topic}/${answer.partition}`, answer]))
    for (const batch of group) {
      const answer = answerOf.get(`${batch.topic}/${batch.partition}`)
      if (isPassing(answer)) again.push(batch)
      else batch.settle(answer?.error ?? answer?.baseOffset ?? new Error(`Kafka has not answered for ${batch.topic}`))
    }
  } catch (error) {
    for (const batch of group) batch.settle(error as Error)
    return
  }
  if (again.length === 0) return
  if (performance.now() + RETRY_MS > until) {
    const late = new LogUnavailable('Kafka has not stored the records in time')
    for (const batch of again) batch.settle(late)
    return
  }
  link.refresh()
  await sleep(RETRY_MS)
  await produce(link, { batches: again, transactionalId, until })
}

function isPassing(answer: ProducedPartition | undefined): boolean {
  return answer?.error != null && remedyFor(answer.error) !== 'NONE'
}
