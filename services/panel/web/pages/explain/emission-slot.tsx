import { Alert, Anchor, Badge, Group, Text } from '@mantine/core'
import { IconClick, IconEye } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Answer } from '../../client/types.ts'
import { type Column, DataTable } from '../../components/page/data-table.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { formatScore, formatShare } from '../../components/values/numbers.ts'
import { ProductTitle } from '../../components/values/product-title.tsx'
import { allOf } from '../../data/use-list.ts'
import { algorithmLabel } from '../reports/vocabulary.ts'

type ExplainedSlot = Answer<'/v1/panel/explain/emission/{requestId}'>['slots'][number]

const reasons: Record<string, string> = {
  OUTRANKED: 'Outranked',
  CAPPED: 'Cap reached',
  DUPLICATE: 'Shown already',
  BUDGET: 'No budget left',
  BELOW_RESERVE: 'Bid too low',
  MIN_AD_COUNT: 'Too few ads',
}
const reasonLabel = (reason: string): string => reasons[reason] ?? reason

type Ad = ExplainedSlot['ads'][number]
type Dropped = ExplainedSlot['dropped'][number]

export interface EmissionSlotProps {
  slot: ExplainedSlot
  kind: string
  shopId: string
  /** Undefined when unknown; prices are then shown as plain numbers. */
  currency: string | undefined
}

/** One slot of a request: the ads shown, why in this order, and what was dropped. */
export function EmissionSlot({ slot, kind, shopId, currency }: EmissionSlotProps) {
  const { adUnitName, adUnitId, algorithm, candidates, why, ads, dropped } = slot
  const isDisplay = kind === 'DISPLAY'
  return (
    <PanelCard
      title={adUnitName ?? adUnitId}
      description={`${algorithmLabel(algorithm)}; ${candidates} eligible ${candidates === 1 ? 'ad' : 'ads'} found`}
    >
      {why && (
        <Alert variant="light" color="yellow" mb="md" p="xs">
          {`Fewer ads than asked for: ${why}.`}
        </Alert>
      )}
      <Text size="sm" fw={600} mb="xs">
        Shown, in this order
      </Text>
      <DataTable
        label="Shown"
        list={allOf(ads)}
        columns={[
          adColumn(shopId, isDisplay),
          ...(isDisplay ? [] : rankColumns),
          ...moneyColumns(currency, isDisplay),
          eventsColumn,
        ]}
        rowKey={({ position }) => String(position)}
        empty={{ title: 'No ad was shown' }}
      />
      {dropped.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="md" mb="xs">
            Not shown, the best of them
          </Text>
          <DataTable
            label="Not shown"
            list={allOf(dropped)}
            columns={droppedColumns(shopId, currency, isDisplay)}
            rowKey={({ campaignId, adId, reason }) => `${campaignId} ${adId} ${reason}`}
            empty={{ title: 'None' }}
          />
        </>
      )}
    </PanelCard>
  )
}

const adColumn = (shopId: string, isDisplay: boolean): Column<Ad> => ({
  title: 'Ad',
  cell: ({ position, ...ad }) => (
    <Group gap="xs" wrap="nowrap" align="start">
      <Text size="sm" c="dimmed" w={18}>
        {`${position}.`}
      </Text>
      <AdName ad={ad} shopId={shopId} isDisplay={isDisplay} autoPromo={ad.autoPromo} />
    </Group>
  ),
})

interface AdNameProps {
  ad: Pick<Dropped, 'adId' | 'campaignId' | 'campaignName'>
  shopId: string
  isDisplay: boolean
  autoPromo?: boolean
}

function AdName({ ad: { adId, campaignId, campaignName }, shopId, isDisplay, autoPromo = false }: AdNameProps) {
  return (
    <div>
      {isDisplay ? 'Banner' : <ProductTitle shopId={shopId} id={adId} />}
      <Text size="xs" c="dimmed">
        {!isDisplay && `${adId} · `}
        <Anchor component={Link} to={`/campaigns/${campaignId}`} inherit underline="always">
          {campaignName ?? campaignId}
        </Anchor>
        {autoPromo && ' · own promotion'}
      </Text>
    </div>
  )
}

const rankColumns: Column<Ad>[] = [
  { title: 'Relevance', align: 'end', cell: ({ relevance }) => formatScore(relevance) },
  { title: 'Predicted CTR', align: 'end', cell: ({ predictedClickRate }) => formatShare(predictedClickRate) },
]

const moneyColumns = (currency: string | undefined, isDisplay: boolean): Column<Ad>[] => [
  {
    title: isDisplay ? 'Bid per 1000' : 'Bid',
    align: 'end',
    cell: ({ bid }) => <Price amount={bid} currency={currency} />,
  },
  { title: 'Rank score', align: 'end', cell: ({ rankScore }) => formatScore(rankScore) },
  {
    title: isDisplay ? 'Price per 1000' : 'Price of a click',
    align: 'end',
    cell: ({ price }) => <Price amount={price} currency={currency} />,
  },
]

const eventsColumn: Column<Ad> = {
  title: 'Seen and clicked',
  cell: ({ events }) => (
    <Group gap={4}>
      {events.map(({ eventId, type, verdict, why }) => (
        <Badge
          key={eventId}
          variant="default"
          size="sm"
          tt="none"
          title={why}
          leftSection={type === 'CLICK' ? <IconClick size={12} aria-hidden /> : <IconEye size={12} aria-hidden />}
        >
          {`${type === 'CLICK' ? 'click' : 'view'}${verdict === 'VALID' ? '' : `: ${verdict.toLowerCase().replaceAll('_', ' ')}`}`}
        </Badge>
      ))}
      {events.length === 0 && <Text size="sm">–</Text>}
    </Group>
  ),
}

const droppedColumns = (shopId: string, currency: string | undefined, isDisplay: boolean): Column<Dropped>[] => [
  { title: 'Ad', cell: (ad) => <AdName ad={ad} shopId={shopId} isDisplay={isDisplay} /> },
  { title: 'Relevance', align: 'end', cell: ({ relevance }) => formatScore(relevance) },
  { title: 'Bid', align: 'end', cell: ({ bid }) => <Price amount={bid} currency={currency} /> },
  {
    title: 'Why not',
    cell: ({ reason, why }) => (
      <div>
        {reasonLabel(reason)}
        <Text size="xs" c="dimmed">
          {why}
        </Text>
      </div>
    ),
  },
]

/** Without a currency, the amount is shown as a plain number. */
const Price = ({ amount, currency }: { amount: number; currency: string | undefined }) =>
  currency === undefined ? `${amount}` : <Money amount={amount} currency={currency} />
