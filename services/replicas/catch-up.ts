import { isDeepStrictEqual } from 'node:util'
import type { EventLog, LogRecord, PartitionOffset } from '../../infra/event-log/port.ts'
import { sharedCall } from '../../infra/together.ts'
import type { TopicName } from '../../schemas/topics.ts'

/**
 * Reads a topic step by step, outside any group: each call of the returned function reads what was appended since the last one, by
 * any process. A leader thus learns what the topic holds, and also what a former leader has appended since, which was frozen and
 * did not know that it had been replaced. After a failure records may be read again, in their order.
 */
export function createCatchUp(
  log: Pick<EventLog, 'bounds' | 'tail'>,
  topic: TopicName,
  onRecords: (records: LogRecord[]) => void,
): () => Promise<void> {
  let readTo: PartitionOffset[] = []
  return sharedCall(async () => {
    const ends = (await log.bounds(topic)).map(({ partition, end }) => ({ partition, offset: end }))
    if (isDeepStrictEqual(ends, readTo)) return
    const tail = await log.tail(topic, onRecords, readTo)
    await tail.close()
    readTo = ends
  })
}
