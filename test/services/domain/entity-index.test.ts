import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RegistryEntry } from '../../../schemas/records/entities.ts'
import type { EntityIndex } from '../../../services/domain/entity-index.ts'
import { addDraft, type Drafts, Snapshot } from '../../../services/domain/snapshot.ts'
import { bodies } from '../../schemas/entity-samples.ts'

const byFormats: EntityIndex<'AdUnit'> = { kind: 'AdUnit', keysOf: ({ adFormatIds }) => adFormatIds }
const latestFirst: EntityIndex<'FeedRun'> = {
  kind: 'FeedRun',
  keysOf: ({ feedId }) => [feedId],
  compare: (a, b) => b.body.queuedAt - a.body.queuedAt || (a.id < b.id ? 1 : -1),
}

const KEYS = ['x', 'y', 'z']
const id = fc.integer({ min: 0, max: 15 }).map((n) => `id-${String(n).padStart(2, '0')}`)
const step = fc.record({
  what: fc.constantFrom('apply', 'apply', 'apply', 'draft', 'delete', 'forget', 'look'),
  id,
  keys: fc.subarray(KEYS),
})

describe('an index of the snapshot', () => {
  it('finds what a search of all finds, in the order of ids, whatever is applied, decided, deleted and forgotten', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const snapshot = new Snapshot()
        const drafts: Drafts = new Map()
        let version = 0
        const unit = (id: string, adFormatIds: string[], deletedAt: number | null = null): RegistryEntry => ({
          ...{ kind: 'AdUnit', id, version: ++version, updatedAt: 0, updatedBy: 'test', deletedAt },
          body: { ...bodies.AdUnit, adFormatIds },
        })
        for (const { what, id, keys } of steps) {
          if (what === 'apply') snapshot.apply(unit(id, keys))
          if (what === 'delete') snapshot.apply(unit(id, keys, 1))
          if (what === 'draft') addDraft(drafts, unit(id, keys))
          if (what === 'forget') snapshot.forget('AdUnit', id)
          if (what === 'look') compare()
        }
        compare()
        snapshot.withDrafts(drafts, () => compare())

        function compare() {
          for (const key of KEYS) {
            const lies = ({ body }: { body: { adFormatIds: string[] } }) => body.adFormatIds.includes(key)
            expect([...snapshot.under(byFormats, key)]).toEqual([...snapshot.all('AdUnit')].filter(lies).sort(byId))
            expect(snapshot.underEver(byFormats, key)).toEqual([...snapshot.allEver('AdUnit')].filter(lies).sort(byId))
          }
        }
      }),
    )
  })

  it('keeps an order of its own', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.integer({ min: 0, max: 5 })), { maxLength: 30 }), (made) => {
        const snapshot = new Snapshot()
        const times = new Map(made)
        for (const [id, queuedAt] of times) {
          snapshot.apply(run(id, queuedAt))
          // The index is kept up to date from its first use on.
          expect(idsOf(snapshot)).toContain(id)
        }
        const wanted = [...times].sort(([a, at], [b, bt]) => bt - at || (a < b ? 1 : -1)).map(([id]) => id)
        expect(idsOf(snapshot)).toEqual(wanted)
      }),
    )
  })

  it('looks at no other entity when one changes', () => {
    const snapshot = new Snapshot()
    for (let n = 0; n < 10_000; n++) snapshot.apply(run(`run-${n}`, n))
    let looks = 0
    const counted: EntityIndex<'FeedRun'> = {
      kind: 'FeedRun',
      keysOf: ({ feedId }) => {
        looks++
        return [feedId]
      },
    }
    expect([...snapshot.under(counted, bodies.FeedRun.feedId)]).toHaveLength(10_000)
    looks = 0
    snapshot.apply({ ...run('run-5', 5), version: 2 })
    snapshot.apply(run('run-new', 5))
    expect([...snapshot.under(counted, 'of-no-run')]).toEqual([])
    expect(looks).toBe(3)
  })
})

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

const idsOf = (snapshot: Snapshot) => [...snapshot.under(latestFirst, bodies.FeedRun.feedId)].map(({ id }) => id)

function run(id: string, queuedAt: number): RegistryEntry {
  return {
    ...{ kind: 'FeedRun', id, version: 1, updatedAt: 0, updatedBy: 'test', deletedAt: null },
    body: { ...bodies.FeedRun, queuedAt },
  }
}
