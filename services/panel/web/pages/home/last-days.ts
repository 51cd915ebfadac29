import type { Query } from '../../client/types.ts'
import { useEntity } from '../../data/use-entity.ts'

export const DAYS = 7
const REFRESH_MS = 15_000
const DAY_MS = 86_400_000

type Filter = Pick<Query<'/v1/panel/reports'>, 'shopId' | 'accountId'>

/** The report of the last days, today among them, kept up while one looks. */
export function useLastDays(metrics: string, filter: Filter = {}) {
  const now = Date.now()
  const query = { ...filter, metrics, from: dateOf(now - (DAYS - 1) * DAY_MS), to: dateOf(now + DAY_MS) }
  return useEntity('/v1/panel/reports', { query, refreshMs: REFRESH_MS })
}

const dateOf = (ms: number) => new Intl.DateTimeFormat('sv-SE').format(ms)
