import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pageOf } from '../../../../services/registry/resources/paging.ts'

describe('paging', () => {
  it('shows every row once, in the order of ids, whatever the size of a page', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 60 })
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 10 }), (all, limit) => {
        expect(readAll(() => all, limit)).toEqual(all.toSorted(byCodeUnits))
      }),
    )
  })

  it('neither repeats nor hides a row when others come and go between pages', () => {
    const ids = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(ids, fc.array(fc.boolean()), fc.integer({ min: 1, max: 10 }), (all, stays, limit) => {
        const lasting = all.filter((_, i) => stays[i] ?? true)
        let page = 0
        const seen = readAll(() => (page++ % 2 === 0 ? all : lasting), limit)
        expect(new Set(seen).size).toBe(seen.length)
        expect(lasting.filter((id) => !seen.includes(id))).toEqual([])
      }),
    )
  })

  it('has no next page after the last row', () => {
    expect(pageOf(rowsAfter(['a', 'b']), { limit: 2, cursor: undefined }).nextCursor).toBeNull()
    expect(pageOf(rowsAfter([]), { limit: 2, cursor: undefined })).toEqual({ items: [], nextCursor: null })
  })

  it('reads no further than one row behind the page', () => {
    let read = 0
    const ids = Array.from({ length: 1_000 }, (_, i) => `${1_000 + i}`)
    const counted = (after: string) =>
      rowsAfter(ids)(after).map((row) => {
        read++
        return row
      })
    const { nextCursor } = pageOf((after) => counted(after), { limit: 10, cursor: undefined })
    pageOf((after) => counted(after), { limit: 10, cursor: nextCursor! })
    expect(read).toBe(22)
  })
})

function readAll(rows: () => string[], limit: number): string[] {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = pageOf(rowsAfter(rows()), { limit, cursor })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return seen
}

/** Rows as a caller gives them: sorted, one at a time. */
const rowsAfter = (ids: readonly string[]) => (after: string) =>
  ids
    .toSorted(byCodeUnits)
    .values()
    .filter((id) => id > after)
    .map((id) => ({ id }))

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : 1
}
