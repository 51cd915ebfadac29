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
import { t } from '../../messages/pages/ad-requests.ts'
import { algorithmLabel } from '../reports/vocabulary.ts'
import { campaignPath } from '../sales/sale-words.ts'

type ExplainedSlot = Answer<'/v1/panel/explain/emission/{requestId}'>['slots'][number]

const verdicts = [
  'BOT',
  'DUPLICATE',
  'EXPIRED',
  'REPLAYED',
  'INVALID_TRAFFIC',
  'CAPPED',
  'OVER_BUDGET',
  'VOIDED',
] as const
function verdictText(verdict: string): string {
  const known = verdicts.find((each) => each === verdict)
  return known ? t(`verdict${known}`) : verdict
}

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
      description={t('slotAbout', { algorithm: algorithmLabel(algorithm), candidates })}
    >
      {why && (
        <Alert variant="light" color="yellow" mb="md" p="xs">
          {ads.length === 0 ? why : t('fewer', { why })}
        </Alert>
      )}
      <Text size="sm" fw={600} mb="xs">
        {t('shownInOrder')}
      </Text>
      <DataTable
        label={t('shownInOrder')}
        list={allOf(ads)}
        columns={[
          adColumn(shopId, isDisplay),
          ...(isDisplay ? [] : rankColumns),
          ...moneyColumns(currency, isDisplay),
          eventsColumn,
        ]}
        rowKey={({ position }) => String(position)}
        empty={{ title: t('noneShown') }}
      />
      {dropped.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="md" mb="xs">
            {t('notShown')}
          </Text>
          <DataTable
            label={t('notShown')}
            list={allOf(dropped)}
            columns={droppedColumns(shopId, currency, isDisplay)}
            rowKey={({ campaignId, adId, reason }) => `${campaignId} ${adId} ${reason}`}
            empty={{ title: t('nothingDropped') }}
          />
        </>
      )}
    </PanelCard>
  )
}

const adColumn = (shopId: string, isDisplay: boolean): Column<Ad> => ({
  title: t('ad'),
  cell: ({ position, ...ad }) => (
    <Group gap="xs" wrap="nowrap" align="start">
      <Text size="sm" c="dimmed" flex="none" miw={18}>
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
      {isDisplay ? t('banner') : <ProductTitle shopId={shopId} id={adId} />}
      <Text size="xs" c="dimmed">
        {!isDisplay && `${adId} · `}
        <Anchor component={Link} to={campaignPath(campaignId)} inherit underline="always">
          {campaignName ?? campaignId}
        </Anchor>
        {autoPromo && ` · ${t('ownPromotion')}`}
      </Text>
    </div>
  )
}

const rankColumns: Column<Ad>[] = [
  { title: t('relevance'), align: 'end', cell: ({ relevance }) => formatScore(relevance) },
  {
    title: t('predictedCtr'),
    align: 'end',
    cell: ({ predictedClickRate, lift }) => (
      <div>
        {formatShare(predictedClickRate)}
        {lift !== 1 && (
          <Text size="xs" c="dimmed">
            {t('liftForWords', { lift: formatScore(lift) })}
          </Text>
        )}
      </div>
    ),
  },
]

const moneyColumns = (currency: string | undefined, isDisplay: boolean): Column<Ad>[] => [
  {
    title: isDisplay ? t('cpmBid') : t('bid'),
    align: 'end',
    cell: ({ bid }) => <Price amount={bid} currency={currency} />,
  },
  { title: t('rank'), align: 'end', cell: ({ rankScore }) => formatScore(rankScore) },
  {
    title: isDisplay ? t('cpm') : t('price'),
    align: 'end',
    cell: ({ price }) => <Price amount={price} currency={currency} />,
  },
]

const eventsColumn: Column<Ad> = {
  title: t('viewsAndClicks'),
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
          {verdict === 'VALID' ? t(type) : t('withVerdict', { event: t(type), verdict: verdictText(verdict) })}
        </Badge>
      ))}
      {events.length === 0 && <Text size="sm">–</Text>}
    </Group>
  ),
}

const droppedColumns = (shopId: string, currency: string | undefined, isDisplay: boolean): Column<Dropped>[] => [
  { title: t('ad'), cell: (ad) => <AdName ad={ad} shopId={shopId} isDisplay={isDisplay} /> },
  { title: t('relevance'), align: 'end', cell: ({ relevance }) => formatScore(relevance) },
  { title: t('bid'), align: 'end', cell: ({ bid }) => <Price amount={bid} currency={currency} /> },
  {
    title: t('whyNot'),
    cell: ({ why }) => why,
  },
]

/** Without a currency, the amount is shown as a plain number. */
const Price = ({ amount, currency }: { amount: number; currency: string | undefined }) =>
  currency === undefined ? `${amount}` : <Money amount={amount} currency={currency} />
