import { Anchor, SimpleGrid, Stack, Text, Timeline } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import type { AdFormat, Campaign } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { BannerPreview, imageUrl } from '../../../components/values/banner-preview.tsx'
import { Money } from '../../../components/values/money.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useShop } from '../../../session/shop-context.tsx'

/** Everything about a display campaign that a moderator judges. */
export function CampaignJudged({ campaign }: { campaign: Campaign }) {
  const { name, moderation, shopId, banners = [] } = campaign
  const formats = useList('/v1/panel/ad-formats', { query: { shopId }, pageSize: PAGE_SIZE_MAX })
  return (
    <Stack gap="md" mt="sm">
      <PanelCard
        title={name}
        description={campaign.accountName}
        actions={moderation && <StatusBadge status={moderation.state} />}
      >
        <Stack gap="xl">
          {banners.map((banner) => (
            <Banner
              key={banner.id}
              banner={banner}
              format={formats.items?.find(({ id }) => id === banner.adFormatId)}
            />
          ))}
        </Stack>
      </PanelCard>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <PanelCard title="Campaign">
          <Facts campaign={campaign} />
        </PanelCard>
        <PanelCard title="Decisions">
          <History history={moderation?.history ?? []} />
        </PanelCard>
      </SimpleGrid>
    </Stack>
  )
}

interface BannerProps {
  banner: NonNullable<Campaign['banners']>[number]
  format: AdFormat | undefined
}

function Banner({ banner: { images = [], logoImageId, textFields = [], lang }, format }: BannerProps) {
  if (!format) return null
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        {lang ? `${format.name}, in ${languageName(lang)}` : format.name}
      </Text>
      <BannerPreview
        format={format}
        imageUrls={images.map(({ imageId }) => imageUrl(imageId))}
        logoUrl={logoImageId ? imageUrl(logoImageId) : null}
        texts={Object.fromEntries(textFields.map(({ type, value }) => [type, value]))}
      />
    </div>
  )
}

const languageName = (lang: string) => new Intl.DisplayNames(undefined, { type: 'language' }).of(lang) ?? lang

function Facts({ campaign }: { campaign: Campaign }) {
  const shop = useShop().shops?.find(({ id }) => id === campaign.shopId)
  const { targetUrl, mobileDeepLink, startAt, endAt, budget, dailyBudget, cpm, country, targeting } = campaign
  const { currency, timeZone } = shop ?? { currency: null }
  return (
    <DetailList
      details={{
        Advertiser: campaign.accountName,
        'Leads to': targetUrl && (
          <Anchor href={targetUrl} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
            {targetUrl}
          </Anchor>
        ),
        ...(mobileDeepLink && { 'In the app': mobileDeepLink }),
        Begins: <DateTime at={startAt} {...(timeZone && { timeZone })} />,
        Ends: endAt ? <DateTime at={endAt} {...(timeZone && { timeZone })} /> : 'With its budget',
        Budget: <Money amount={budget} currency={currency} />,
        ...(dailyBudget !== null && { 'A day': <Money amount={dailyBudget} currency={currency} /> }),
        'For 1,000 views': <Money amount={cpm} currency={currency} />,
        Country: country,
        ...targetingFacts(targeting),
        State: <StatusBadge status={campaign.state} />,
      }}
    />
  )
}

const targetingNames = {
  phrases: 'Phrases',
  categoryPaths: 'Categories',
  brands: 'Brands',
  productIds: 'Products',
  profiles: 'Profiles',
  refererPatterns: 'Pages',
} as const
const SHOWN_MAX = 12

function targetingFacts(targeting: Campaign['targeting']): Record<string, string> {
  const set = Object.entries(targeting ?? {}).filter(([, values]) => values.length > 0)
  return Object.fromEntries(
    set.map(([name, values]) => {
      const more = values.length > SHOWN_MAX ? ` and ${values.length - SHOWN_MAX} more` : ''
      return [targetingNames[name as keyof typeof targetingNames], values.slice(0, SHOWN_MAX).join(', ') + more]
    }),
  )
}

function History({ history }: { history: NonNullable<Campaign['moderation']>['history'] }) {
  if (history.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nobody has judged it yet.
      </Text>
    )
  }
  return (
    <Timeline bulletSize={22} lineWidth={2} active={history.length}>
      {history.toReversed().map(({ state, reason, decidedAt, decidedByName, version }) => (
        <Timeline.Item
          key={decidedAt + version}
          color={state === 'ACCEPTED' ? 'teal' : 'red'}
          bullet={state === 'ACCEPTED' ? <IconCheck size={13} aria-hidden /> : <IconX size={13} aria-hidden />}
          title={<Text size="sm">{state === 'ACCEPTED' ? 'Accepted' : 'Rejected'}</Text>}
        >
          {reason && <Text size="sm">{reason}</Text>}
          <Text size="xs" c="dimmed">
            <DateTime at={decidedAt} />
            {`, by ${decidedByName ?? 'automation'}, version ${version}`}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
