import type { EventLog } from '../../infra/event-log/port.ts'
import { Erasures } from '../../services/domain/erasure/erasures.ts'
import { readPages } from '../runtime/pages.ts'

/** Follows the topic `erasures`: each call reads on from where the previous one ended. */
export function createErasuresReader(log: EventLog): () => Promise<Erasures> {
  const erasures = new Erasures()
  let next = 0
  return async () => {
    for (const { partition, start, end } of await log.bounds('erasures')) {
      for await (const records of readPages(log, 'erasures', partition, { from: Math.max(next, start), to: end })) {
        for (const { value } of records) erasures.take(value)
      }
      next = end
    }
    return erasures
  }
}
