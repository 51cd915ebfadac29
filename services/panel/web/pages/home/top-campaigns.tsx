import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { formatRoas } from '../../components/values/numbers.ts'
import { listOf } from '../../data/use-list.ts'
import { t } from '../../messages/pages/home.ts'
import type { HomeReport, Report } from './use-home-report.ts'

type Row = Report['rows'][number]

const columns: Column<Row>[] = [
  { title: t('campaign'), cell: ({ campaign, campaignName }) => String(campaignName ?? campaign) },
  { title: t('sales'), align: 'end', cell: ({ revenue, currency }) => <Money amount={revenue} currency={currency} /> },
  { title: t('spend'), align: 'end', cell: ({ spend, currency }) => <Money amount={spend} currency={currency} /> },
  { title: t('roas'), align: 'end', cell: ({ roas }) => formatRoas(roas) },
]

/** The campaigns that sold most in the period. */
export function TopCampaigns({ report: { top } }: { report: HomeReport }) {
  return (
    <PanelCard
      title={t('topCampaigns')}
      description={t('topCampaignsHelp')}
      actions={
        <Anchor component={Link} to="/reports" size="sm">
          {t('allInReports')}
        </Anchor>
      }
    >
      <DataTable
        label={t('topCampaigns')}
        list={listOf(top, top.data?.rows)}
        columns={columns}
        rowKey={({ campaign, currency }) => `${campaign}/${currency}`}
        rowLink={({ campaign }) => `/campaigns/${campaign}`}
        empty={{ title: t('noCampaigns') }}
      />
    </PanelCard>
  )
}
