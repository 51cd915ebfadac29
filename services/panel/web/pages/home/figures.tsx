import { SimpleGrid, Text } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { StatCard } from '../../components/page/stat-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { formatCount, formatRoas, formatShare } from '../../components/values/numbers.ts'
import { t } from '../../messages/pages/home.ts'
import { figureBefore } from '../reports/figures/currencies.ts'
import type { HomeReport, Report } from './use-home-report.ts'

type Totals = Report['totals']
type Metric = 'views' | 'clicks' | 'spend' | 'purchases' | 'revenue' | 'roas'

const percent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
})

/** Totals of the period, each with its change against the previous one. */
export function Figures({ report: { current, previous }, role }: { report: HomeReport; role: string }) {
  const { data, problem } = current
  const totals = data?.totals
  const before = (metric: Metric) => totals && previous.data && figureBefore(previous.data, metric, totals.currency)
  const card = (metric: Metric, label: string, value: ReactNode, hint: string) => (
    <StatCard
      key={metric}
      label={label}
      value={totals && value}
      problem={problem}
      hint={totals && <Hint text={hint} now={totals[metric]} before={before(metric)} />}
    />
  )
  const money = (of: (each: Totals) => number | null | undefined) => data && <Sum report={data} of={of} />
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing="sm">
      {card(
        'revenue',
        t('sales'),
        money(({ revenue }) => revenue),
        t('salesHint'),
      )}
      {card(
        'spend',
        role === 'PUBLISHER' ? t('revenueFromAds') : t('spend'),
        money(({ spend }) => spend),
        role === 'PUBLISHER' ? t('revenueFromAdsHint') : '',
      )}
      {card('roas', t('roas'), formatRoas(totals?.roas), t('roasHint'))}
      {card('purchases', t('purchases'), formatCount(totals?.purchases), t('purchasesHint'))}
      {card('clicks', t('clicks'), formatCount(totals?.clicks), t('ctrHint', { ctr: formatShare(totals?.ctr) }))}
      {card('views', t('views'), formatCount(totals?.views), '')}
    </SimpleGrid>
  )
}

/** The total of a money metric. With several currencies there is no single total. */
function Sum({ report, of }: { report: Report; of: (totals: Totals) => number | null | undefined }) {
  const { totals, totalsByCurrency } = report
  if (totalsByCurrency.length > 1) return <>{t('currencies', { count: totalsByCurrency.length })}</>
  return <Money amount={of(totals)} currency={totals.currency} />
}

function Hint({
  text,
  now,
  before,
}: {
  text: string
  now: number | null | undefined
  before: number | null | undefined
}) {
  return (
    <>
      {text !== '' && (
        <Text span inherit display="block">
          {text}
        </Text>
      )}
      <Change now={now} before={before} />
    </>
  )
}

function Change({ now, before }: { now: number | null | undefined; before: number | null | undefined }) {
  if (now == null || before == null) return null
  if (before === 0) return now === 0 ? null : t('newSincePrevious')
  const share = (now - before) / before
  const Arrow = share < 0 ? IconArrowDownRight : IconArrowUpRight
  return (
    <Text span inherit>
      {share !== 0 && <Arrow size={13} aria-hidden style={{ verticalAlign: '-2px' }} />}
      {`${percent.format(share)} `}
      {t('vsPrevious')}
    </Text>
  )
}
