import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pageOf } from '../../../../services/registry/resources/paging.ts'

describe('paging', () => {
  it('shows every row once, in the order of ids, whatever the size of a page and the order of the rows', () => {
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
    expect(pageOf([{ id: 'a' }, { id: 'b' }], { limit: 2, cursor: undefined }).nextCursor).toBeNull()
    expect(pageOf([], { limit: 2, cursor: undefined })).toEqual({ items: [], nextCursor: null })
  })
})

function readAll(rows: () => string[], limit: number): string[] {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = pageOf(
      rows().map((id) => ({ id })),
      { limit, cursor },
    )
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return seen
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : 1
}
