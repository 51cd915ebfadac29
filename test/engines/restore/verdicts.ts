import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import type { JudgedEvent } from '../../../schemas/records/events.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { readAll } from '../event-log/copier.ts'

export interface LogSettings {
  NAMESPACE: string
  KAFKA_BROKERS: string
}

/** All verdicts in a log that is not a copy, or that was restored. */
export async function judgedIn({ NAMESPACE, KAFKA_BROKERS }: LogSettings): Promise<JudgedEvent[]> {
  const log = connectKafkaEventLog({
    ...{ brokers: KAFKA_BROKERS.split(','), clientId: 'drill', namespace: NAMESPACE, logger: { warn() {} } },
    now: Date.now,
  })
  const records = await readAll(log, 'judged-events')
  await log.close()
  return records.map(({ value }) => decode('JudgedEvent', value!))
}

/** The verdict on each event, and what the event cost. */
export function verdictsOf(judged: readonly JudgedEvent[]): Map<string, string[]> {
  const verdicts = new Map<string, string[]>()
  for (const { eventId, verdict, billedMicros } of judged) {
    verdicts.set(eventId, [...(verdicts.get(eventId) ?? []), `${verdict} ${billedMicros}`])
  }
  return verdicts
}
