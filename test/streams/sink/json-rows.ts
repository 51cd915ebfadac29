import type { JudgedEvent } from '../../../schemas/records/events.ts'
import type { StoredTopic } from '../../../streams/sink/rows.ts'

interface Place {
  _topic: StoredTopic
  _partition: number
  _offset: number
}

/** The row of a record as an object, to be inserted as JSON and compared with the sink's binary row. */
export function jsonRowOf(place: Place, value: object): object {
  if (place._topic !== 'judged-events') return { ...place, ...value }
  const { claims, previousAddressHash, ...event } = value as JudgedEvent
  const { cid, uid, ...ad } = claims
  return { ...place, ...ad, emittedCid: cid, emittedUid: uid, ...event }
}
