import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import { openTemporaryAnalytics } from '../../../new-analytics.ts'
import { personalData } from '../../../streams/erasure/personal-data.ts'

const CID = "a browser's"
const shopId = 'shop'
let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

/** Rows in no order, several of each time, among those of another person and of another shop. */
const rows = Array.from({ length: 60 }, (_, i) => {
  const [_partition, _offset] = [i % 3, (i * 37) % 60]
  return {
    ...{ _topic: i % 2 ? 'of-now' : 'earlier', _partition, _offset, occurredAt: 1_000 + (i % 4) },
    ...(i % 5 === 0 ? { shopId, cid: 'other' } : i % 7 === 0 ? { shopId: 'other', cid: CID } : { shopId, cid: CID }),
  }
})
const own = rows.filter((row) => row.shopId === shopId && row.cid === CID)
/** A name that sorts as the row does: by time, then topic, then place in the log. */
const named = (row: (typeof rows)[number]) =>
  `${row.occurredAt}-${row._topic}-${row._partition}-${String(row._offset).padStart(2, '0')}`
const inOrder = own.map(named).sort()

describe('the data of a person', () => {
  it.each([1, 2, 7, own.length, own.length + 1])(
    'has every row once and in order, in pages of %i',
    async (pageRows) => {
      const by = { token: 'once' }
      await analytics.insert(
        'page_views',
        rows.map((row) => ({ ...row, id: named(row) })),
        by,
      )
      await analytics.insert(
        'event_corrections',
        rows.map((row) => ({ ...row, correctionId: named(row) })),
        by,
      )
      await analytics.insert(
        'transactions',
        rows.map((row) => ({ ...row, kind: 'CART', eventId: named(row) })),
        by,
      )
      await analytics.insert(
        'attributed_lines',
        rows.map((row, line) => ({ ...row, kind: 'CART', eventId: named(row), line, version: 1, deleted: 0 })),
        by,
      )
      await analytics.insert(
        'links_by_cid',
        rows.map((row) => ({ ...row, uid: named(row), seenAt: row.occurredAt, provenAt: 0, version: 1 })),
        by,
      )
      const data = await personalData(analytics, { shopId, identifier: 'cid', value: CID }, { pageRows })
      expect(data.pageViews.map(({ id }) => id)).toEqual(inOrder)
      expect(data.corrections.map(({ correctionId }) => correctionId)).toEqual(inOrder)
      expect(data.transactions.map(({ eventId }) => eventId)).toEqual(inOrder)
      expect(data.credits.map(({ eventId }) => eventId)).toEqual(inOrder)
      expect(data.linked.map(({ uid }) => uid)).toEqual(inOrder)
      expect(data.linked[0]).toEqual({ cid: CID, uid: inOrder[0], firstSeenAt: '1970-01-01T00:00:01.000Z' })
      expect(data).toMatchObject({ shopId, identifier: 'cid', adRequests: [], adEvents: [] })
      expect(Object.keys(data.pageViews[0]!).filter((column) => column.startsWith('_'))).toEqual([])
    },
  )
})
