import type { LogEpoch } from '../../schemas/records/records.ts'
import { decode, encode } from '../../schemas/wire/codec.ts'
import type { EventLog, NewRecord } from './port.ts'

const TOPIC = 'log-epoch'
const PARTITION = 0
const KEY = 'epoch'
/** Records of one read. Compaction leaves a single one. */
const PAGE_RECORDS = 100

/** The last record of the topic; without any, epoch 0 of an unknown cluster. */
export async function readLogEpoch(log: Pick<EventLog, 'bounds' | 'read'>): Promise<LogEpoch> {
  const { start, end } = (await log.bounds(TOPIC))[PARTITION]!
  let last: LogEpoch = { epoch: 0, restoring: false, restoredAt: 0, judgedTo: [], clusterId: null }
  for (let at = start; at < end; ) {
    const records = await log.read(TOPIC, PARTITION, at, PAGE_RECORDS)
    if (records.length === 0) break
    for (const { value } of records) if (value) last = decode('LogEpoch', value)
    at = records.at(-1)!.offset + 1
  }
  return last
}

export const logEpochRecord = (noted: LogEpoch): NewRecord => ({
  topic: TOPIC,
  key: KEY,
  value: encode('LogEpoch', noted),
})

/** Whether the log was copied from another cluster. False when unknown: an earlier version noted no cluster, or the brokers report none. */
export const isFromAnotherCluster = ({ clusterId }: LogEpoch, present: string | null) =>
  clusterId !== null && present !== null && clusterId !== present
