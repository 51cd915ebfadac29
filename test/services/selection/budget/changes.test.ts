import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Shop } from '../../../../schemas/records/entities.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { unknownTraffic } from '../../../../services/replicas/traffic-follower.ts'
import { createBudgets } from '../../../../services/selection/budget/budgets.ts'
import { createSpendView } from '../../../../services/selection/budget/spend.ts'
import { fakeCounters } from '../fakes.ts'
import { NOW, sponsored } from '../world.ts'

// No background turn comes between.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

it('a campaign that changes while the budgets are opened is looked at once they are, and so is every later change', async () => {
  const counters = fakeCounters()
  const snapshot = new Snapshot()
  const entry = { version: 1, updatedAt: 0, updatedBy: '', deletedAt: null }
  const body = sponsored('shop', 'account')
  const shop = { timeZone: 'UTC', currency: 'EUR', reserveCpcMicros: 1 } as Shop
  snapshot.apply({ ...entry, kind: 'Shop', id: 'shop', body: shop })
  const make = (id: string) => snapshot.apply({ ...entry, kind: 'Campaign', id, body })
  const now = () => NOW
  const spend = createSpendView({ counters, snapshot, now })
  const budgets = createBudgets({ counters, snapshot, spend, traffic: unknownTraffic, processId: 'p', now })
  const isOpen = (id: string) => budgets.isOpen({ campaignId: id, campaign: body, likelihood: 1 }, NOW)

  const opening = budgets.open()
  make('meanwhile')
  await opening
  budgets.start(() => expect.unreachable())
  await setImmediate()
  expect(isOpen('meanwhile')).toBe(true)
  make('later')
  await setImmediate()
  expect(isOpen('later')).toBe(true)
  budgets.close()
})
