import type { Analytics } from '../../infra/analytics/port.ts'

/** The store that a part of the suite tests. It has the table `blocks`. */
export interface AnalyticsSubject {
  analytics: () => Analytics
  /** How many rows of `blocks` satisfy a condition. */
  count: (where: string) => Promise<number>
}

/** A row of `blocks`. */
export const row = (n: number, s = '') => ({ n, s, u: null, list: [] })
