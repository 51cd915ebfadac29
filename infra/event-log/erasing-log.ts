import type { TopicName } from '../../schemas/topics.ts'
import { erased, isPersonal } from '../../services/domain/erasure/erase-record.ts'
import { NAMED_AFTER_MAX_MS, READ_AFTER_MS } from '../../services/domain/erasure/erasures.ts'
import { followErasures } from './erasures-tail.ts'
import type { Batch, EventLog, LogConsumer, LogRecord, NewRecord } from './port.ts'

/** A log that shows no identifier of an erased person. */
export interface ErasingLog extends EventLog {
  /** The log as it is stored, for the code that erases the stored records. */
  readonly stored: EventLog
}

/**
 * Replaces the identifiers of erased people in all records that are read, so that a replay of the log yields what the tables hold,
 * and in records that are appended late. The erasures are in the log, too: they are read before the first record that may name
 * somebody.
 *
 * Reading a record costs one comparison, unless the record is older than some erasure. Appending one costs a check of its identifiers
 * for some days after each erasure.
 *
 * @param now UTC epoch milliseconds.
 */
export function withErasures(stored: EventLog, now: () => number): ErasingLog {
  const { erasures, known, close } = followErasures(stored)

  const withoutNames = (topic: TopicName, records: LogRecord[]): LogRecord[] => {
    const until = erasures.coveredUntil + READ_AFTER_MS
    if (!isPersonal(topic) || !records.some(({ appendedAt }) => appendedAt <= until)) return records
    return records.map((record) => {
      if (record.appendedAt > until) return record
      const replaced = erased(erasures, topic, record)
      return replaced ? { ...record, ...replaced } : record
    })
  }

  async function append(records: readonly NewRecord[]) {
    if (!records.some(({ topic }) => isPersonal(topic))) return stored.append(records)
    // When the log cannot be read, the append below fails too, and says why.
    await known().catch(() => {})
    if (erasures.coveredUntil + NAMED_AFTER_MAX_MS < now()) return stored.append(records)
    return stored.append(
      records.map((record) => {
        const replaced = isPersonal(record.topic) ? erased(erasures, record.topic, record) : null
        return replaced ? { ...record, ...replaced } : record
      }),
    )
  }

  function erasingConsumer(consumer: LogConsumer): LogConsumer {
    return {
      ...consumer,
      async poll(options) {
        const batch: Batch | null = await consumer.poll(options)
        return batch && { ...batch, records: withoutNames(batch.topic, batch.records) }
      },
    }
  }

  return {
    ...stored,
    stored,
    append,
    async consumer(options) {
      if (options.topics.some(isPersonal)) await known()
      return erasingConsumer(await stored.consumer(options))
    },
    async tail(topic, onBatch, from) {
      if (isPersonal(topic)) await known()
      return stored.tail(topic, (records) => onBatch(withoutNames(topic, records)), from)
    },
    async read(topic, partition, from, max) {
      if (isPersonal(topic)) await known()
      return withoutNames(topic, await stored.read(topic, partition, from, max))
    },
    async close() {
      await close()
      await stored.close()
    },
  }
}
