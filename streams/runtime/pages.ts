import type { EventLog, LogRecord } from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'

const PAGE_RECORDS = 1_000

/** The records at [from, to) of a partition that the log still holds, page by page. */
export async function* readPages(
  log: Pick<EventLog, 'read'>,
  topic: TopicName,
  partition: number,
  { from, to, pageRecords = PAGE_RECORDS }: { from: number; to: number; pageRecords?: number },
): AsyncGenerator<LogRecord[]> {
  for (let next = from; next < to; ) {
    const records = (await log.read(topic, partition, next, pageRecords)).filter(({ offset }) => offset < to)
    const last = records.at(-1)
    if (!last) return
    yield records
    next = last.offset + 1
  }
}
