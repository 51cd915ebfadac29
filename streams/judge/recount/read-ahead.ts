import type { EventLog, LogRecord } from '../../../infra/event-log/port.ts'
import { readPages } from '../../runtime/pages.ts'

/** Events that are added up before they are stored: the more, the fewer writes an event, and the longer each one takes. */
const PAGE_RECORDS = 20_000

/** Pages of judged events, each of many reads; the next one is read while the one before it is counted. */
export async function* readAhead(
  log: Pick<EventLog, 'read'>,
  partition: number,
  { from, to }: { from: number; to: number },
): AsyncGenerator<LogRecord[]> {
  const pages = readPages(log, 'judged-events', partition, { from, to, pageRecords: PAGE_RECORDS })
  const gather = async () => {
    const records: LogRecord[] = []
    while (records.length < PAGE_RECORDS) {
      const { value, done } = await pages.next()
      if (done) break
      for (const record of value) records.push(record)
    }
    return records
  }
  let next = gather()
  for (;;) {
    const records = await next
    if (records.length === 0) return
    next = gather()
    next.catch(() => {})
    yield records
  }
}
