import { randomBytes, randomUUID } from 'node:crypto'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import type { Erasure } from '../../../schemas/records/records.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { digestOf, PSEUDONYM_PREFIX } from '../../../services/domain/erasure/erasures.ts'
import { readPages } from '../../../streams/runtime/pages.ts'
import { emission, HOUR, pageView, purchase, touch } from '../attribution/events.ts'

/** Everything that one logged-in person does in one browser, beginning at `at`. */
export function lifeOf({
  cid,
  uid,
  at,
  shopId = 'shop',
}: {
  cid: string
  uid: string
  at: number
  shopId?: string
}): NewRecord[] {
  const id = randomUUID()
  const click = touch({ eventId: `click-${id}`, cid, uid, at, adId: 'p1', shopId })
  const { verdict, billedMicros, sourcePartition, sourceOffset, invalidReason, marks, ...event } = click
  const judged = { ...click, billedMicros: 100_000, claims: { ...click.claims, uid } }
  const sale = purchase({ eventId: `order-${id}`, cid, uid, at: at + HOUR, products: ['p1'], shopId })
  const correction = {
    ...{ correctionId: id, eventId: `other-click-${id}`, type: 'CLICK' as const, shopId, campaignId: 'campaign' },
    ...{ accountId: 'account', cid, occurredAt: at, creditedMicros: 1, currency: 'EUR', reason: 'test' },
    ...{ correctedBy: 'account', correctedAt: at },
  }
  const letter = {
    ...{ stream: 'sink', topic: 'transactions', partition: 0, offset: 0, key: cid, value: encode('Transaction', sale) },
    ...{ code: 'REJECTED', message: 'no', failedAt: at },
  }
  const view = pageView({ id: `view-${id}`, cid, uid, at, shopId })
  return [
    { topic: 'emissions', key: cid, value: encode('Emission', emission({ id, cid, uid, at, shopId })) },
    { topic: 'ad-events', key: 'campaign', value: encode('AdEvent', event) },
    { topic: 'judged-events', key: 'campaign', value: encode('JudgedEvent', judged) },
    { topic: 'corrections', key: 'campaign', value: encode('EventCorrection', correction) },
    { topic: 'transactions', key: cid, value: encode('Transaction', sale) },
    { topic: 'page-views', key: cid, value: encode('PageView', view) },
    { topic: 'dead-letters', key: 'transactions/0/0', value: encode('DeadLetter', letter) },
  ]
}

/** An erasure of an identifier in the shop `shop`. */
export function erasureOf(
  identifier: Erasure['identifier'],
  value: string,
  { requestedAt, shopId = 'shop' }: { requestedAt: number; shopId?: string },
): Erasure {
  return {
    ...{ id: randomUUID(), shopId, identifier, pseudonym: `${PSEUDONYM_PREFIX}${randomUUID()}`, requestedAt },
    ...{ requestedBy: 'account', digest: digestOf(value, randomBytes(16)), erasedAt: null, logFreeAt: null },
  }
}

export const ask = (log: EventLog, erasures: readonly Erasure[]) =>
  log.append(erasures.map((each) => ({ topic: 'erasures', key: each.id, value: encode('Erasure', each) })))

/** The latest state of an erasure in the log. */
export async function stateOf(log: EventLog, id: string): Promise<Erasure> {
  let state: Erasure | undefined
  for (const { partition, start, end } of await log.bounds('erasures')) {
    for await (const records of readPages(log, 'erasures', partition, { from: start, to: end })) {
      for (const { key, value } of records) if (key === id) state = decode('Erasure', value!)
    }
  }
  return state!
}
