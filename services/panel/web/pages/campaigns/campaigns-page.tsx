import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Campaign, Shop } from '../../client/types.ts'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { Money } from '../../components/values/money.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { DateTime, dateIn } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { CampaignSwitch } from './campaign-switch.tsx'
import { pacingOf } from './pacing.ts'
import { SpendBar } from './spend-bar.tsx'
import { KINDS, PACING_WORDS, STATES } from './words.ts'

const REFRESH_MS = 30_000
const DAY_MS = 86_400_000

/** All campaigns that the user sees: an advertiser's own, or those in the chosen shop. */
export default function CampaignsPage() {
  const { role } = useSession().user
  const { shops, shop: chosen } = useShop()
  const shop = role === 'ADVERTISER' ? undefined : chosen
  const [state, setState] = useState<string | null>(null)
  const [kind, setKind] = useState<Campaign['kind'] | null>(null)
  const list = useList('/v1/panel/campaigns', {
    query: { ...(shop ? { shopId: shop.id } : {}), ...(kind ? { kind } : {}) },
    pageSize: PAGE_SIZE_MAX,
    enabled: shops !== undefined,
    refreshMs: REFRESH_MS,
  })
  const spentToday = useSpentToday(shop)
  const shopOf = ({ shopId }: Campaign) => shops?.find(({ id }) => id === shopId)
  const items = list.items?.filter((campaign) => state === null || campaign.state === state)
  const isFiltered = state !== null || kind !== null
  const create = (
    <Button component={Link} to="/campaigns/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New campaign
    </Button>
  )

  return (
    <>
      <PageHeader title="Campaigns" actions={create} />
      <DataTable
        label="Campaigns"
        list={{ ...list, items }}
        columns={columnsFor({ role, shops, shopOf, spentToday })}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/campaigns/${id}`}
        search={{ textOf: ({ name, accountName, id }) => `${name} ${accountName ?? ''} ${id}` }}
        filters={
          <>
            <Select
              aria-label="State"
              placeholder="All states"
              clearable
              w={160}
              value={state}
              onChange={setState}
              data={STATES}
            />
            <Select
              aria-label="Kind"
              placeholder="All kinds"
              clearable
              w={150}
              value={kind}
              onChange={(value) => setKind(value as Campaign['kind'] | null)}
              data={KINDS}
            />
          </>
        }
        empty={
          isFiltered
            ? { title: 'No such campaign', description: 'None has this state and kind.' }
            : {
                title: 'No campaigns yet',
                description: 'A campaign promotes products, or shows banners.',
                action: create,
              }
        }
      />
    </>
  )
}

interface TableFacts {
  role: string
  shops: readonly Shop[] | undefined
  shopOf: (campaign: Campaign) => Shop | undefined
  spentToday: ((campaign: Campaign) => number) | undefined
}

function columnsFor({ role, shops, shopOf, spentToday }: TableFacts): Column<Campaign>[] {
  const hasShops = role === 'ADVERTISER' && (shops?.length ?? 0) > 1
  return [
    {
      title: 'Campaign',
      cell: (campaign) => (
        <>
          {campaign.name}
          <Text size="xs" c="dimmed" fw={400}>
            {KINDS.find(({ value }) => value === campaign.kind)?.label}
            {campaign.autoPromo ? ', own promotion' : ''}
            {role !== 'ADVERTISER' && campaign.accountName ? ` · ${campaign.accountName}` : ''}
            {hasShops ? ` · ${shopOf(campaign)?.name ?? ''}` : ''}
          </Text>
        </>
      ),
    },
    { title: 'State', cell: ({ state }) => <StatusBadge status={state} />, width: 150 },
    {
      title: 'Spend',
      width: 210,
      cell: (campaign) => <SpendCell campaign={campaign} currency={shopOf(campaign)?.currency} />,
    },
    {
      title: 'Today',
      align: 'end',
      width: 120,
      cell: (campaign) => <TodayCell campaign={campaign} currency={shopOf(campaign)?.currency} of={spentToday} />,
    },
    {
      title: 'Dates',
      width: 190,
      cell: (campaign) => <Dates campaign={campaign} timeZone={shopOf(campaign)?.timeZone} />,
    },
    { title: 'Switch', align: 'end', width: 110, cell: (campaign) => <CampaignSwitch campaign={campaign} /> },
  ]
}

function SpendCell({ campaign, currency }: { campaign: Campaign; currency: string | undefined }) {
  if (campaign.autoPromo && campaign.budget === 0) return <Text size="sm">Free</Text>
  const pacing = pacingOf(campaign, Date.now())
  return (
    <Stack gap={4} w="100%" maw={220}>
      <Group gap={4} justify="space-between" wrap="nowrap">
        <Text size="sm">
          <Money amount={campaign.spent} currency={currency} />
          <Text span size="xs" c="dimmed">
            {' of '}
            <Money amount={campaign.budget} currency={currency} />
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

function TodayCell(props: { campaign: Campaign; currency: string | undefined; of: TableFacts['spentToday'] }) {
  const { campaign, currency, of } = props
  return (
    <Text size="sm" component="span">
      <Money amount={of?.(campaign)} currency={currency} />
      {campaign.dailyBudget !== null && (
        <Text size="xs" c="dimmed" component="span" display="block">
          {'of '}
          <Money amount={campaign.dailyBudget} currency={currency} />
        </Text>
      )}
    </Text>
  )
}

function Dates({ campaign: { startAt, endAt }, timeZone }: { campaign: Campaign; timeZone: string | undefined }) {
  return (
    <Text size="sm" component="span">
      <DateTime at={startAt} timeZone={timeZone} dateOnly />
      <Text size="xs" c="dimmed" component="span" display="block">
        {endAt === null ? (
          'no end'
        ) : (
          <>
            to <DateTime at={endAt} timeZone={timeZone} dateOnly />
          </>
        )}
      </Text>
    </Text>
  )
}

/** Today's spend of each campaign, in the time zone of the shop, or of each shop without one. Undefined while loading. */
function useSpentToday(shop: Shop | undefined): ((campaign: Campaign) => number) | undefined {
  const now = Date.now()
  const zone = shop?.timeZone
  const query = {
    from: dateIn(zone, now),
    to: dateIn(zone, now + DAY_MS),
    groupBy: 'campaign',
    metrics: 'spend',
    ...(shop ? { shopId: shop.id } : {}),
  }
  const { data } = useEntity('/v1/panel/reports', { query, refreshMs: REFRESH_MS })
  if (!data) return undefined
  const spent = new Map(data.rows.map((row) => [row.campaign as string, row.spend ?? 0]))
  return ({ id }) => spent.get(id) ?? 0
}
