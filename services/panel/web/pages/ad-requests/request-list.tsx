import { Badge, Button, Group, Text } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { DAY_MS, HOUR_MS } from '../../../../../schemas/durations.ts'
import type { Item, Role } from '../../client/types.ts'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/ad-requests.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { RequestFilters, useRequestFilters } from './request-filters.tsx'

type ListedRequest = Item<'/v1/panel/explain/emissions'>

const REFRESH_MS = 3_000
const PAGE_SIZE = 50
/** How far back the API searches, and how far the clocks of browser and server may differ. */
const SEARCHED_MS = 30 * DAY_MS
const CLOCKS_APART_MS = HOUR_MS

/** The latest ad requests, refreshed while the page is visible. The address holds the filters. */
export function RequestList() {
  const { role } = useSession().user
  const { shop, shops } = useShop()
  const filters = useRequestFilters({ role, shop })
  const [isPaused, setPaused] = useState(false)
  const [isFirst, setFirst] = useState(true)
  const isAdvertiser = role === 'ADVERTISER'
  const isLive = !isPaused && isFirst
  const list = useList('/v1/panel/explain/emissions', {
    query: { ...filters.asked, shopId: isAdvertiser ? undefined : shop?.id },
    pageSize: PAGE_SIZE,
    enabled: isAdvertiser || shop !== undefined,
    refreshMs: isLive ? REFRESH_MS : false,
  })
  if (isFirst !== (list.page === 1)) setFirst(list.page === 1)
  const { isFiltered } = filters
  const searched = list.answer && searchedBy(list.answer.searchedFrom, list.next !== null, shop?.timeZone)
  const zoneOf = (shopId: string) => shops?.find(({ id }) => id === shopId)?.timeZone
  return (
    <div>
      <Group justify="space-between" mb="sm" gap="xs">
        <Group gap="sm">
          <State isPaused={isPaused} isFirst={isFirst} hasFailed={list.problem !== null} />
          {searched && (
            <Text size="xs" c="dimmed">
              {searched.text}
            </Text>
          )}
        </Group>
        <Button
          variant="default"
          size="xs"
          leftSection={isPaused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />}
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? t('resume') : t('pause')}
        </Button>
      </Group>
      <DataTable
        label={t('latest')}
        list={list}
        columns={columnsFor(role, zoneOf)}
        rowKey={({ requestId }) => requestId}
        rowLink={({ requestId }) => `/ad-requests/${requestId}`}
        filters={<RequestFilters role={role} filters={filters} />}
        empty={emptyOf({ asked: filters.asked, isFiltered, isAdvertiser, stoppedAt: searched?.stoppedAt })}
      />
    </div>
  )
}

function State({ isPaused, isFirst, hasFailed }: { isPaused: boolean; isFirst: boolean; hasFailed: boolean }) {
  const [color, text] = hasFailed
    ? (['orange', t('notLive')] as const)
    : isPaused
      ? (['gray', t('paused')] as const)
      : isFirst
        ? (['teal', t('live', { seconds: REFRESH_MS / 1000 })] as const)
        : (['gray', t('onLaterPage')] as const)
  return (
    <Badge variant="dot" color={color} tt="none" fw={500} radius="sm" role="status">
      {text}
    </Badge>
  )
}

/** How far back the answer reaches: to the API's limit, to the last row of a full page, or to where the search took too long. */
function searchedBy(searchedFrom: string, hasMore: boolean, timeZone: string | undefined) {
  const time = moment(searchedFrom, timeZone)
  if (hasMore) return { text: t('searchedTo', { time }) }
  const isWhole = Date.parse(searchedFrom) < Date.now() - SEARCHED_MS + CLOCKS_APART_MS
  return isWhole ? { text: t('searchedAll') } : { text: t('searchStopped', { time }), stoppedAt: time }
}

interface Emptiness {
  asked: ReturnType<typeof useRequestFilters>['asked']
  isFiltered: boolean
  isAdvertiser: boolean
  stoppedAt: string | undefined
}

function emptyOf({ asked, isFiltered, isAdvertiser, stoppedAt }: Emptiness) {
  if (stoppedAt) return { title: t('noneSince', { time: stoppedAt }), description: t('noneSinceHelp') }
  const { campaignId, ...others } = asked
  if (campaignId !== undefined && Object.values(others).every((value) => value === undefined)) {
    return { title: t('noneOfCampaign'), description: t('noneOfCampaignHelp') }
  }
  if (isFiltered) return { title: t('noneMatch'), description: t('noneMatchHelp') }
  return { title: t('none'), description: isAdvertiser ? t('noneAdvertiser') : t('noneHelp') }
}

function columnsFor(role: Role, zoneOf: (shopId: string) => string | undefined): Column<ListedRequest>[] {
  const isAdvertiser = role === 'ADVERTISER'
  return [
    { title: t('time'), width: 250, cell: ({ occurredAt, shopId }) => moment(occurredAt, zoneOf(shopId)) },
    ...(isAdvertiser ? [{ title: t('shop'), cell: ({ shopName }: ListedRequest) => shopName }] : []),
    {
      title: t('adUnit'),
      cell: ({ slots }) => [...new Set(slots.map(({ adUnitName, adUnitId }) => adUnitName ?? adUnitId))].join(', '),
    },
    { title: t('ads'), cell: (request) => <Shown request={request} isAdvertiser={isAdvertiser} /> },
    { title: t('person'), cell: ({ clientId, userId }) => <Id text={userId ?? clientId} /> },
    { title: t('kind'), width: 185, cell: ({ kind }) => t(kind) },
  ]
}

/** How many ads of which campaigns were shown, or why there were none. */
function Shown({ request: { slots }, isAdvertiser }: { request: ListedRequest; isAdvertiser: boolean }) {
  const ads = slots.flatMap((slot) => slot.ads)
  const names = [...new Set(ads.map(({ campaignName, campaignId }) => campaignName ?? campaignId))]
  const why = isAdvertiser ? t('notYours') : slots.map((slot) => slot.why).find((each) => each !== null)
  return (
    <div>
      {t('shown', { count: ads.length })}
      <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
        {ads.length === 0 ? why : names.join(', ')}
      </Text>
    </div>
  )
}

const Id = ({ text }: { text: string }) => (
  <Text size="sm" truncate maw={180} title={text}>
    {text}
  </Text>
)

/** Includes the seconds, because several requests may be in one minute. */
function moment(at: string, timeZone: string | undefined): string {
  const style = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' } as const
  return new Intl.DateTimeFormat(undefined, { ...style, timeZoneName: 'short', timeZone }).format(new Date(at))
}
