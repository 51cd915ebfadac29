import { Anchor, Button, SimpleGrid, Skeleton, Stack, Text, Timeline } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import type { Campaign, Shop } from '../../client/types.ts'
import { DetailList } from '../../components/page/detail-list.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { Money } from '../../components/values/money.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { useShop } from '../../session/shop-context.tsx'
import { CampaignBanners } from './banners/campaign-banners.tsx'
import { CampaignSwitch, useMayChange } from './campaign-switch.tsx'
import { countryName } from './countries.ts'
import { CampaignFigures } from './figures/campaign-figures.tsx'
import { pacingOf } from './pacing.ts'
import { CampaignProducts } from './products/campaign-products.tsx'
import { SpendBar } from './spend-bar.tsx'
import { StateReason } from './state-reason.tsx'
import { KINDS } from './words.ts'

const REFRESH_MS = 15_000

/** One campaign: its state, figures, settings, and products or banners. */
export default function CampaignPage() {
  const { id = '' } = useParams()
  const mayChange = useMayChange()
  const { shops } = useShop()
  const {
    data: campaign,
    problem,
    retry,
  } = useEntity('/v1/panel/campaigns/{id}', { path: { id }, refreshMs: REFRESH_MS })
  const shop = shops?.find((each) => each.id === campaign?.shopId)
  const breadcrumbs = [{ label: 'Campaigns', to: '/campaigns' }]
  if (!campaign) {
    return (
      <>
        <PageHeader title="Campaign" breadcrumbs={breadcrumbs} />
        {problem ? <ErrorState problem={problem} retry={retry} /> : <Skeleton height={600} />}
      </>
    )
  }
  return (
    <>
      <PageHeader
        title={campaign.name}
        breadcrumbs={breadcrumbs}
        badge={<StatusBadge status={campaign.state} />}
        description={[KINDS.find(({ value }) => value === campaign.kind)?.label, shop?.name, campaign.accountName]
          .filter(Boolean)
          .join(' · ')}
        actions={
          mayChange(campaign) && (
            <>
              <CampaignSwitch campaign={campaign} size="sm" />
              <Button component={Link} to={`/campaigns/${id}/edit`} leftSection={<IconPencil size={16} aria-hidden />}>
                Edit
              </Button>
            </>
          )
        }
      />
      <Stack gap="md">
        <StateReason campaign={campaign} timeZone={shop?.timeZone} />
        <CampaignFigures campaignId={id} timeZone={shop?.timeZone} />
        <Settings campaign={campaign} shop={shop} />
        {campaign.kind === 'SPONSORED' ? (
          <CampaignProducts campaign={campaign} timeZone={shop?.timeZone} />
        ) : (
          <>
            <CampaignBanners campaign={campaign} timeZone={shop?.timeZone} />
            <ModerationHistory campaign={campaign} timeZone={shop?.timeZone} />
          </>
        )}
      </Stack>
    </>
  )
}

function Settings({ campaign, shop }: { campaign: Campaign; shop: Shop | undefined }) {
  const { startAt, endAt, budget, spent, dailyBudget, pacing, capping, cpc, cpm, country, targetUrl } = campaign
  const attributed = campaign.attributionProductIds
  const zone = shop?.timeZone
  const currency = shop?.currency
  const isFree = campaign.autoPromo && budget === 0
  const money: Record<string, ReactNode> = isFree
    ? { Money: 'Free: an own promotion' }
    : {
        Budget: (
          <Stack gap={6}>
            <span>
              <Money amount={spent} currency={currency} /> of <Money amount={budget} currency={currency} />
            </span>
            <SpendBar pacing={pacingOf(campaign, Date.now())} />
          </Stack>
        ),
        'Daily budget': dailyBudget === null ? 'No limit' : <Money amount={dailyBudget} currency={currency} />,
        Pacing: pacing === 'EVEN' ? 'Even' : 'As fast as possible',
        ...(campaign.kind === 'SPONSORED'
          ? { 'Bid for a click': <Money amount={cpc} currency={currency} /> }
          : { 'A thousand views': <Money amount={cpm} currency={currency} /> }),
      }
  const rest: Record<string, ReactNode> = {
    Starts: <DateTime at={startAt} timeZone={zone} />,
    Ends: endAt === null ? 'When the budget does' : <DateTime at={endAt} timeZone={zone} />,
    ...(zone ? { 'Time zone': zone.replaceAll('_', ' ') } : {}),
    'Views per person': capping === null ? 'No cap' : `${capping} a day`,
    'Attributed too': attributed.length ? `${attributed.length} other products` : 'Nothing else',
    ...(campaign.kind === 'DISPLAY'
      ? { Country: countryName(country ?? ''), 'Leads to': <Url url={targetUrl} /> }
      : {}),
  }
  return (
    <PanelCard title="Settings">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <DetailList details={money} />
        <DetailList details={rest} />
      </SimpleGrid>
    </PanelCard>
  )
}

function Url({ url }: { url: string | undefined }) {
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
      {url}
    </Anchor>
  )
}

/** Every decision of the publisher on the banners, the latest first. */
function ModerationHistory({ campaign, timeZone }: { campaign: Campaign; timeZone: string | undefined }) {
  const history = campaign.moderation?.history ?? []
  return (
    <PanelCard title="Moderation">
      {history.length === 0 ? (
        <Text size="sm" c="dimmed">
          The publisher has not decided yet.
        </Text>
      ) : (
        <Timeline bulletSize={12} lineWidth={2}>
          {[...history].reverse().map(({ state, reason, decidedAt, decidedByName }) => (
            <Timeline.Item key={decidedAt} title={<StatusBadge status={state} />}>
              {reason && <Text size="sm">{reason}</Text>}
              <Text size="xs" c="dimmed">
                <DateTime at={decidedAt} timeZone={timeZone} />
                {decidedByName && `, ${decidedByName}`}
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </PanelCard>
  )
}
