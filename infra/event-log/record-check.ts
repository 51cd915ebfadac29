import { topics } from '../../schemas/topics.ts'
import { type NewRecord, RECORD_MAX_BYTES, RecordTooLarge, recordBytes } from './port.ts'

/** Key and value bytes of records that may be appended. @throws RecordTooLarge; TypeError for an unknown topic or a missing key. */
export function checkedBytes(records: readonly NewRecord[]): number {
  let total = 0
  for (const record of records) {
    const bytes = recordBytes(record)
    if (bytes > RECORD_MAX_BYTES) {
      throw new RecordTooLarge(`A record of ${record.topic} has ${bytes} bytes; the limit is ${RECORD_MAX_BYTES}`)
    }
    const topic = topics[record.topic]
    if (!topic) throw new TypeError(`There is no topic ${record.topic}`)
    if (record.key === null && topic.kind === 'compacted') {
      throw new TypeError(`A record of the compacted topic ${record.topic} needs a key`)
    }
    total += bytes
  }
  return total
}
