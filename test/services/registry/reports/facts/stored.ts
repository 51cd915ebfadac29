import { adUnits, campaigns, shops, type World } from '../world.ts'
import type { EmissionFact, EventFact, Facts, LineFact } from './facts.ts'

/** Stores the facts as the streams would. */
export async function store({ analytics }: World, { emissions, events, lines }: Facts, token: string): Promise<void> {
  for (const [table, rows] of Object.entries(rowsOf({ emissions, events }))) {
    if (rows.length > 0) await analytics.insert(table, rows, { token })
  }
  await analytics.insert('attributed_lines', lines.map(lineRow), { token })
  // Also store lines that must not count: those of an earlier computation, and those of a replaced version of the order.
  const stale = lines.map((line) => ({
    ...lineRow(line),
    ...{ outcome: 'CREDITED', priceMicros: 7, returnedMicros: 7, version: 1 },
  }))
  const displaced = lines.map((line) => ({ ...lineRow(line), line: line.line + 100, deleted: 1 }))
  await analytics.insert('attributed_lines', [...stale, ...displaced], { token: `${token} stale` })
  const elsewhere = stale.map((row) => ({ ...row, occurredAt: row.occurredAt + 1 }))
  const gone = elsewhere.map((row) => ({ ...row, version: 2, deleted: 1 }))
  await analytics.insert('credited_lines', lines.map(lineRow).map(creditedRow), { token })
  const hidden = [...stale, ...elsewhere, ...gone].map(creditedRow)
  await analytics.insert('credited_lines', hidden, { token: `${token} stale` })
}

const CREDITED_COLUMNS = [
  ...['shopId', 'occurredAt', 'kind', 'eventId', 'line', 'match', 'campaignId', 'accountId', 'adId', 'adUnitId'],
  ...['algorithm', 'country', 'currency', 'priceMicros', 'returnedMicros', 'cid', 'uid', 'shopProductId', 'quantity'],
  ...['returnedQuantity', 'touchType', 'touchEventId', 'touchAt', 'slotHash', 'version'],
]

/** The row of `credited_lines` beside a row of `attributed_lines`. */
export const creditedRow = (row: Readonly<Record<string, unknown>>) => ({
  ...Object.fromEntries(CREDITED_COLUMNS.map((column) => [column, row[column]])),
  deleted: row.outcome === 'CREDITED' ? row.deleted : 1,
})

/** The rows that the sink would store for the facts, by table. */
export function rowsOf({ emissions, events }: Pick<Facts, 'emissions' | 'events'>) {
  const at = (row: object, i: number) => ({ _topic: 't', _partition: 0, _offset: i, ...row })
  return {
    emissions: emissions.flatMap(emissionRows).map(at),
    judged_events: events.flatMap(eventRows).map(at),
    event_corrections: events.flatMap(correctionRows).map(at),
  }
}

function emissionRows({ display, copies, slots, ...emission }: EmissionFact): object[] {
  const row = {
    ...emission,
    kind: display ? 'DISPLAY' : 'SPONSORED',
    cid: 'me',
    uid: null,
    elapsedMicros: 1,
    slots: slots.map(({ adUnitId, ads }) => ({
      slotHash: adUnitId,
      adUnitId,
      algorithm: adUnits[adUnitId]!.algorithm,
      candidates: ads.length,
      shortfall: null,
      ads: ads.map((ad, i) => ({
        ...ad,
        itemGroupId: null,
        position: i + 1,
        relevance: 1,
        predictedClickRate: 0.1,
        bidMicros: 1,
        priceMicros: 1,
        autoPromo: false,
      })),
      dropped: [],
    })),
  }
  return Array.from({ length: copies }, () => row)
}

function correctionRows({ eventId, campaignId, type, occurredAt, billedMicros, verdicts, voids }: EventFact): object[] {
  const { shopId, accountId } = campaigns[campaignId]!
  const row = { eventId, type, shopId, campaignId, accountId, cid: 'me', occurredAt, creditedMicros: billedMicros }
  const why = { currency: shops[shopId].currency, reason: 'farm', correctedBy: 'x', correctedAt: 0 }
  const count = verdicts.includes('VALID') ? voids : 0
  return Array.from({ length: count }, (_, i) => ({ ...row, ...why, correctionId: `c${i}` }))
}

function eventRows({ verdicts, billedMicros, rule, marks, voids: _, ...event }: EventFact): object[] {
  const { shopId, accountId, display } = campaigns[event.campaignId]!
  return verdicts.map((verdict) => ({
    ...event,
    ...{ shopId, accountId, verdict, kind: display ? 'DISPLAY' : 'SPONSORED', currency: shops[shopId].currency },
    billedMicros: verdict === 'VALID' ? billedMicros : 0,
    invalidReason: verdict === 'INVALID_TRAFFIC' ? rule : null,
    marks: verdict === 'VALID' ? marks : [],
    algorithm: adUnits[event.adUnitId]!.algorithm,
    slotHash: event.adUnitId,
    ...{
      sourcePartition: 0,
      sourceOffset: 0,
      cid: 'me',
      uid: null,
      receivedAt: 0,
      bot: false,
      requestId: 'r',
      itemGroupId: null,
    },
    ...{ emittedCid: 'me', emittedUid: null, position: 1, priceMicros: 0, autoPromo: false, emittedAt: 0 },
  }))
}

function lineRow({ credit, ...line }: LineFact) {
  return {
    ...line,
    ...{
      cid: 'me',
      uid: null,
      itemGroups: [],
      clickWindowHours: 1,
      viewWindowHours: 1,
      deleted: 0,
    },
    outcome: credit ? 'CREDITED' : 'NO_TOUCH',
    ...{ match: credit?.match ?? '', touchType: credit ? 'CLICK' : '', touchEventId: '', touchAt: 0, slotHash: '' },
    campaignId: credit?.campaignId ?? '',
    accountId: credit ? campaigns[credit.campaignId]!.accountId : '',
    adId: credit?.adId ?? '',
    adUnitId: credit?.adUnitId ?? '',
    algorithm: credit ? adUnits[credit.adUnitId]!.algorithm : '',
    version: 2,
  }
}
