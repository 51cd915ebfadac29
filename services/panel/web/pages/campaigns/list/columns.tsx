import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Campaign, Shop } from '../../../client/types.ts'
import type { Column } from '../../../components/page/data-table.tsx'
import { Money } from '../../../components/values/money.tsx'
import { formatCount, formatRoas, formatShare } from '../../../components/values/numbers.ts'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'
import { CampaignSwitch } from '../campaign-switch.tsx'
import { pacingOf } from '../spend.ts'
import { SpendBar } from '../spend-bar.tsx'
import { KINDS, PACING_WORDS, STATES, stateWord } from '../words.ts'
import { type CampaignFigures, sumOf } from './campaign-figures.ts'
import type { ListFigures } from './use-figures.ts'

export interface ColumnFacts {
  isAdvertiser: boolean
  /** Whether any of the campaigns can be paused or resumed. */
  hasActions: boolean
  shops: readonly Shop[] | undefined
  shopOf: (campaign: Campaign) => Shop | undefined
  figures: Pick<ListFigures, 'spentToday' | 'lastDays'>
}

/** The keys of columns that need figures from reports. */
export const TODAY = 'today'
export const LAST_DAYS: readonly string[] = ['impressions', 'clicks', 'ctr', 'cpc', 'spend28', 'sales', 'roas']

const ORDER = STATES.map(({ value }) => value)

export function columnsFor(facts: ColumnFacts): Column<Campaign>[] {
  const { isAdvertiser, hasActions, shops, shopOf, figures } = facts
  const currencyOf = (campaign: Campaign) => shopOf(campaign)?.currency
  const kindOf = (campaign: Campaign) => KINDS.find(({ value }) => value === campaign.kind)?.label ?? ''
  const zoneOf = (campaign: Campaign) => shopOf(campaign)?.timeZone
  const hasShops = (shops?.length ?? 0) > 1
  /** Amounts of shops with several currencies have no sum. */
  const total = (rows: readonly Campaign[], of: (campaign: Campaign) => number | null | undefined) => {
    const [currency, ...others] = new Set(rows.map(currencyOf))
    if (others.length > 0 || rows.some((row) => of(row) == null)) return null
    return <Money amount={rows.reduce((sum, row) => sum + (of(row) ?? 0), 0)} currency={currency} />
  }
  return [
    {
      key: 'name',
      title: t('campaign'),
      sortBy: ({ name }) => name,
      cell: (campaign) => <NameCell campaign={campaign} facts={facts} />,
    },
    {
      key: 'account',
      title: t('account'),
      isHidden: true,
      sortBy: ({ accountName }) => accountName,
      cell: ({ accountName }) => <bdi>{accountName}</bdi>,
    },
    ...(isAdvertiser && !hasShops
      ? []
      : [
          {
            key: 'shop',
            title: t('shop'),
            isHidden: true,
            sortBy: (campaign: Campaign) => shopOf(campaign)?.name,
            cell: (campaign: Campaign) => <bdi>{shopOf(campaign)?.name}</bdi>,
          },
        ]),
    { key: 'kind', title: t('kind'), isHidden: true, sortBy: kindOf, cell: kindOf },
    {
      key: 'state',
      title: t('state'),
      sortBy: ({ state }) => ORDER.indexOf(state),
      csv: ({ state }) => stateWord(state),
      cell: ({ state }) => <StatusBadge status={state} />,
      width: 130,
    },
    {
      key: 'spend',
      title: t('spend'),
      width: 200,
      sortBy: ({ spent }) => spent,
      cell: (campaign) => <SpendCell campaign={campaign} currency={currencyOf(campaign)} />,
      total: (rows) => total(rows, ({ spent }) => spent),
    },
    {
      key: 'budget',
      title: t('budget'),
      align: 'end',
      isHidden: true,
      sortBy: ({ budget }) => budget,
      cell: (campaign) => <Money amount={campaign.budget} currency={currencyOf(campaign)} />,
      total: (rows) => total(rows, ({ budget }) => budget),
    },
    {
      key: 'currency',
      title: t('currency'),
      // Amounts in a CSV file are plain numbers. Others than advertisers see the campaigns of one shop.
      isHidden: !isAdvertiser || new Set(shops?.map(({ currency }) => currency)).size < 2,
      sortBy: currencyOf,
      cell: currencyOf,
    },
    {
      key: 'bid',
      title: t('bid'),
      align: 'end',
      isHidden: true,
      sortBy: ({ cpc, cpm }) => cpc ?? cpm,
      cell: ({ cpc, cpm, ...campaign }) => (
        <div>
          <Money amount={cpc ?? cpm} currency={currencyOf(campaign)} />{' '}
          <Text size="xs" c="dimmed" span>
            {cpc === undefined ? t('cpmShort') : t('cpcShort')}
          </Text>
        </div>
      ),
    },
    {
      key: TODAY,
      title: t('today'),
      align: 'end',
      width: 110,
      sortBy: (campaign) => figures.spentToday?.(campaign),
      isMissing: figures.spentToday === undefined,
      cell: (campaign) => (
        <TodayCell campaign={campaign} currency={currencyOf(campaign)} spent={figures.spentToday?.(campaign)} />
      ),
      total: (rows) => total(rows, (campaign) => figures.spentToday?.(campaign)),
    },
    {
      key: 'dates',
      title: t('dates'),
      width: 140,
      sortBy: ({ startAt }) => startAt,
      csv: ({ startAt, endAt }) => [startAt, endAt].filter(Boolean).join('/'),
      cell: (campaign) => <Dates campaign={campaign} timeZone={zoneOf(campaign)} />,
    },
    ...figureColumns(figures.lastDays && ((campaign) => figures.lastDays!(campaign, currencyOf(campaign))), currencyOf),
    ...(hasActions ? [ACTIONS] : []),
  ]
}

const ACTIONS: Column<Campaign> = {
  key: 'actions',
  title: t('actions'),
  align: 'end',
  isActions: true,
  cell: (campaign) => <CampaignSwitch campaign={campaign} />,
}

function figureColumns(
  of: ((campaign: Campaign) => CampaignFigures | undefined) | undefined,
  currencyOf: (campaign: Campaign) => string | undefined,
): Column<Campaign>[] {
  const column = (
    key: string,
    title: string,
    name: keyof CampaignFigures,
    show: (value: number | null | undefined, currency: string | undefined) => ReactNode,
  ): Column<Campaign> => ({
    key,
    title,
    align: 'end',
    isHidden: true,
    sortBy: (campaign) => of?.(campaign)?.[name],
    isMissing: of === undefined,
    cell: (campaign) => show(of?.(campaign)?.[name], currencyOf(campaign)),
    total(rows) {
      const [currency, ...others] = new Set(rows.map(currencyOf))
      const isMoney = !['impressions', 'clicks', 'ctr'].includes(name)
      const all = of ? rows.flatMap((row) => of(row) ?? []) : []
      const isComplete = all.length === rows.length && !(isMoney && others.length > 0)
      return isComplete && show(sumOf(all)[name], currency)
    },
  })
  const money = (value: number | null | undefined, currency: string | undefined) => (
    <Money amount={value} currency={currency} />
  )
  return [
    column('impressions', t('views28'), 'impressions', formatCount),
    column('clicks', t('clicks28'), 'clicks', formatCount),
    column('ctr', t('ctr28'), 'ctr', formatShare),
    column('cpc', t('cpc28'), 'cpc', money),
    column('spend28', t('spend28'), 'spend', money),
    column('sales', t('sales28'), 'sales', money),
    column('roas', t('roas28'), 'roas', formatRoas),
  ]
}

function NameCell({ campaign, facts }: { campaign: Campaign; facts: ColumnFacts }) {
  const { isAdvertiser, shops, shopOf } = facts
  const parts = [
    KINDS.find(({ value }) => value === campaign.kind)?.label,
    campaign.autoPromo ? t('ownPromotion') : null,
    isAdvertiser ? null : campaign.accountName,
    isAdvertiser && (shops?.length ?? 0) > 1 ? shopOf(campaign)?.name : null,
  ]
  return (
    <>
      <bdi>{campaign.name}</bdi>
      <Text size="xs" c="dimmed" fw={400}>
        {parts.filter(Boolean).join(' · ')}
      </Text>
    </>
  )
}

function SpendCell({ campaign, currency }: { campaign: Campaign; currency: string | undefined }) {
  if (campaign.autoPromo && campaign.budget === 0) return t('free')
  const pacing = pacingOf(campaign, Date.now())
  return (
    <Stack gap={4} w="100%" miw={150} maw={220}>
      <Group gap={4} justify="space-between">
        <Text size="sm">
          <Money amount={campaign.spent} currency={currency} />{' '}
          <Text span size="xs" c="dimmed">
            {t.rich('ofAmount', { amount: <Money key="budget" amount={campaign.budget} currency={currency} /> })}
          </Text>
        </Text>
        {pacing.verdict && (
          <Text size="xs" c="dimmed">
            {PACING_WORDS[pacing.verdict]}
          </Text>
        )}
      </Group>
      <SpendBar pacing={pacing} />
    </Stack>
  )
}

function TodayCell(props: { campaign: Campaign; currency: string | undefined; spent: number | undefined }) {
  const { campaign, currency, spent } = props
  return (
    <div>
      <Money amount={spent} currency={currency} />
      {campaign.dailyBudget !== null && (
        <Text size="xs" c="dimmed">
          {t.rich('ofAmount', { amount: <Money key="daily" amount={campaign.dailyBudget} currency={currency} /> })}
        </Text>
      )}
    </div>
  )
}

function Dates({ campaign: { startAt, endAt }, timeZone }: { campaign: Campaign; timeZone: string | undefined }) {
  const zone = timeZone ? { timeZone } : {}
  return (
    <div>
      <DateTime at={startAt} {...zone} dateOnly />
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {endAt === null ? t('noEnd') : t.rich('until', { date: <DateTime key="end" at={endAt} {...zone} dateOnly /> })}
      </Text>
    </div>
  )
}
