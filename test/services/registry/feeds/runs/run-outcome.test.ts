import { describe, expect, it } from 'vitest'
import type { FeedRun, Shop } from '../../../../../schemas/records/entities.ts'
import { type Entity, Snapshot } from '../../../../../services/domain/snapshot.ts'
import { runView } from '../../../../../services/registry/feeds/runs/run-outcome.ts'

const run: FeedRun = {
  ...{ feedId: 'feed', shopId: 'shop', trigger: 'UPLOAD', status: 'DONE', message: null, failure: null },
  ...{ total: 216, changed: 216, unchanged: 0, removed: 0, rejected: 0, warnings: 0, issueCounts: {} },
  ...{ queuedAt: 0, startedAt: 0, endedAt: 0, currency: 'USD', issuesRunId: null },
  ...{ rejectedCurrencies: {}, missingFields: {} },
}

const entity = <K extends 'FeedRun' | 'Shop'>(kind: K, id: string, body: object) =>
  ({ kind, id, version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body }) as unknown as Entity<K>

const INDEXED_UP_TO = 1_000
const snapshot = new Snapshot()
snapshot.apply(entity('Shop', 'shop', { currency: 'USD' } satisfies Partial<Shop>))

const viewOf = (changes: Partial<FeedRun>) =>
  runView(snapshot, entity('FeedRun', 'run', { ...run, ...changes }), INDEXED_UP_TO)

describe('a run', () => {
  it.each<[string, Partial<FeedRun>, string]>([
    ['that waits', { status: 'QUEUED' }, 'QUEUED'],
    ['under way, whatever it has rejected so far', { status: 'RUNNING', rejected: 216 }, 'RUNNING'],
    ['that took all', {}, 'SUCCEEDED'],
    ['that corrected values', { warnings: 1 }, 'SUCCEEDED_WITH_WARNINGS'],
    ['in another currency than the shop', { currency: 'INR' }, 'SUCCEEDED_WITH_WARNINGS'],
    ['of before the currency was noted', { currency: null }, 'SUCCEEDED'],
    ['that rejected one', { rejected: 1, warnings: 1 }, 'PARTLY_REJECTED'],
    ['that rejected half', { rejected: 108 }, 'PARTLY_REJECTED'],
    ['that rejected over half', { rejected: 109 }, 'MOSTLY_REJECTED'],
    ['that rejected all', { rejected: 216 }, 'ALL_REJECTED'],
    ['of an empty file', { total: 0, changed: 0 }, 'NO_PRODUCTS'],
    ['that is held, even if it rejected all', { status: 'HELD', rejected: 216 }, 'HELD'],
    ['that failed', { status: 'FAILED', failure: 'WEB_PAGE' }, 'FAILED'],
    ['that failed before kinds of failures were noted', { status: 'FAILED' }, 'FAILED'],
    ['whose place a later one took', { status: 'FAILED', failure: 'REPLACED' }, 'REPLACED'],
  ])('%s: %s is %s', (_name, changes, outcome) => {
    expect(viewOf(changes).outcome).toBe(outcome)
  })

  it.each<[string, Partial<FeedRun>, boolean]>([
    ['that ended before the time up to which the index holds all offers', { endedAt: INDEXED_UP_TO }, true],
    ['that ended after it', { endedAt: INDEXED_UP_TO + 1 }, false],
    ['that has not ended', { status: 'RUNNING', endedAt: null }, false],
  ])('%s: %s is indexed: %s', (_name, changes, indexed) => {
    expect(viewOf(changes).indexed).toBe(indexed)
  })

  it('lists why products were rejected, the most frequent cause first, without warnings', () => {
    const { causes } = viewOf({
      issueCounts: { INVALID_GTIN: 300, MISSING_FIELD: 7, CURRENCY_MISMATCH: 200, DUPLICATE_ID: 6 },
      rejectedCurrencies: { TRY: 195, INR: 5 },
      missingFields: { image_link: 4, title: 3 },
    })
    expect(causes).toEqual([
      { code: 'CURRENCY_MISMATCH', value: 'TRY', count: 195 },
      { code: 'DUPLICATE_ID', value: null, count: 6 },
      { code: 'CURRENCY_MISMATCH', value: 'INR', count: 5 },
      { code: 'MISSING_FIELD', value: 'image_link', count: 4 },
      { code: 'MISSING_FIELD', value: 'title', count: 3 },
    ])
  })

  it.each<[string, Partial<FeedRun>, string | null]>([
    ['all prices are in it', { rejected: 216, rejectedCurrencies: { TRY: 216 } }, 'TRY'],
    ['most prices are in it', { rejected: 120, rejectedCurrencies: { TRY: 110, INR: 10 } }, 'TRY'],
    ['fewer are in it than are taken', { rejected: 100, rejectedCurrencies: { TRY: 100 } }, null],
    ['there is no such currency', { rejected: 216, rejectedCurrencies: { ABC: 216 } }, null],
    ['no price is in another', {}, null],
  ])('names a better currency of the feed only if it would take more: %s', (_name, changes, currency) => {
    expect(viewOf(changes).betterCurrency).toBe(currency)
  })
})
