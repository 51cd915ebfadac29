import type { DeadLetter } from '../../../schemas/records/records.ts'
import { decode, UndecodableRecord } from '../../../schemas/wire/codec.ts'
import type { EventLog, PartitionOffset } from '../../event-log/port.ts'
import type { AuditedTopic } from './audited-topics.ts'
import { type DeadOffsets, recordsIn } from './check-range.ts'

const ALL_LETTERS = { topic: 'dead-letters', keys: null } as const

/** Reads all dead letters, and returns the offsets of those about a topic. */
export async function deadOffsets(log: EventLog, audited: AuditedTopic): Promise<DeadOffsets> {
  const byPartition = new Map<number, Set<number>>()
  for (const { partition, start, end } of await log.bounds('dead-letters')) {
    for await (const { value } of recordsIn(log, ALL_LETTERS, { partition, from: start, to: end })) {
      const about = value && givenUp(decode('DeadLetter', value), audited)
      if (about) byPartition.set(about.partition, (byPartition.get(about.partition) ?? new Set()).add(about.offset))
    }
  }
  return (partition) => byPartition.get(partition) ?? new Set()
}

/** The position of the topic's record that a letter is about; null when it is about none. */
function givenUp(letter: DeadLetter, { topic, letters }: AuditedTopic): PartitionOffset | null {
  if (!letters.some((about) => about.stream === letter.stream && about.topic === letter.topic)) return null
  return letter.topic === topic ? letter : judgedFrom(letter)
}

/** The position of the ad event whose judgement was given up; null when the letter has no judgement that can be decoded. */
function judgedFrom({ value }: DeadLetter): PartitionOffset | null {
  try {
    if (value === null) return null
    const { sourcePartition, sourceOffset } = decode('JudgedEvent', value)
    return { partition: sourcePartition, offset: sourceOffset }
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}
