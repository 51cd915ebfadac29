import { SimpleGrid } from '@mantine/core'
import type { Answer, Query } from '../../client/types.ts'
import { ErrorState } from '../../components/page/error-state.tsx'
import { StatCard } from '../../components/page/stat-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { formatCount, formatShare } from '../../components/values/numbers.ts'
import { dateIn } from '../../components/values/times.tsx'
import type { EntityState } from '../../data/use-entity.ts'
import { useEntity } from '../../data/use-entity.ts'

type Report = Answer<'/v1/panel/reports'>
type Totals = Report['totals']

/** The total of a money metric. With several currencies there is no single total. */
function Sums({ report, of }: { report: Report; of: (totals: Totals) => number | null | undefined }) {
  const [only, ...others] = report.totalsByCurrency
  if (!only) return <>–</>
  return others.length === 0 ? (
    <Money amount={of(only)} currency={only.currency} />
  ) : (
    <>{1 + others.length} currencies</>
  )
}

/** What was shown, clicked, billed and sold in the last days. */
export function Figures({ report: { data, problem, retry } }: { report: EntityState<Report> }) {
  if (problem && !data) return <ErrorState problem={problem} retry={retry} />
  const totals = data?.totals
  const hint = `last ${DAYS} days`
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing="sm">
      <StatCard label="Views" value={totals && formatCount(totals.views)} hint={hint} />
      <StatCard
        label="Clicks"
        value={totals && formatCount(totals.clicks)}
        hint={totals && `${formatShare(totals.ctr)} of views`}
      />
      <StatCard label="Spend" value={data && <Sums report={data} of={({ spend }) => spend} />} hint={hint} />
      <StatCard label="Purchases" value={totals && formatCount(totals.purchases)} hint="credited to ads" />
      <StatCard
        label="Revenue"
        value={data && <Sums report={data} of={({ revenue }) => revenue} />}
        hint="credited to ads"
      />
      <StatCard
        label="ROAS"
        value={totals && (totals.roas == null ? '–' : totals.roas.toFixed(2))}
        hint="net revenue for each unit spent"
      />
    </SimpleGrid>
  )
}

export const FIGURES = 'views,clicks,ctr,spend,purchases,revenue,roas'

export const DAYS = 7
const REFRESH_MS = 15_000
const DAY_MS = 86_400_000

type Filter = Pick<Query<'/v1/panel/reports'>, 'shopId' | 'accountId'>

/** The report of the last days, including today, refetched while the page is open. */
export function useLastDays(metrics: string, filter: Filter = {}) {
  const now = Date.now()
  const query = {
    ...filter,
    metrics,
    from: dateIn(undefined, now - (DAYS - 1) * DAY_MS),
    to: dateIn(undefined, now + DAY_MS),
  }
  return useEntity('/v1/panel/reports', { query, refreshMs: REFRESH_MS })
}
