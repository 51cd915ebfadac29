import { Anchor, SimpleGrid, Stack, Text, Timeline } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import type { AdFormat, Campaign } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CampaignBannerPreview } from '../../../components/values/banner-preview.tsx'
import { Money } from '../../../components/values/money.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { t } from '../../../messages/pages/shop/moderation.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { countryName } from '../../campaigns/countries.ts'

export interface CampaignJudgedProps {
  campaign: Campaign
  /** The ad formats of the shop. */
  formats: readonly AdFormat[]
}

/** Everything in a display campaign that a moderator reviews. */
export function CampaignJudged({ campaign, formats }: CampaignJudgedProps) {
  const { name, moderation, banners = [] } = campaign
  return (
    <Stack gap="md" mt="sm">
      <PanelCard
        title={name}
        description={campaign.accountName}
        actions={moderation && <StatusBadge status={moderation.state} />}
      >
        <Stack gap="xl">
          {banners.map((banner) => (
            <Banner key={banner.id} banner={banner} format={formats.find(({ id }) => id === banner.adFormatId)} />
          ))}
        </Stack>
      </PanelCard>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <PanelCard title={t('campaign')}>
          <Facts campaign={campaign} />
        </PanelCard>
        <PanelCard title={t('decisions')}>
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

function Banner({ banner, format }: BannerProps) {
  if (!format) return null
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        {banner.lang ? t('formatIn', { format: format.name, language: languageName(banner.lang) }) : format.name}
      </Text>
      <CampaignBannerPreview format={format} banner={banner} />
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
        [t('advertiser')]: campaign.accountName,
        [t('landingPage')]: targetUrl && (
          <Anchor href={targetUrl} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
            {targetUrl}
          </Anchor>
        ),
        ...(mobileDeepLink && { [t('inApp')]: mobileDeepLink }),
        [t('start')]: <DateTime at={startAt} {...(timeZone && { timeZone })} />,
        [t('end')]: endAt ? <DateTime at={endAt} {...(timeZone && { timeZone })} /> : t('noEnd'),
        [t('budget')]: <Money amount={budget} currency={currency} />,
        ...(dailyBudget !== null && { [t('dailyBudget')]: <Money amount={dailyBudget} currency={currency} /> }),
        [t('cpm')]: <Money amount={cpm} currency={currency} />,
        [t('country')]: country && countryName(country),
        ...targetingFacts(targeting),
        [t('state')]: <StatusBadge status={campaign.state} />,
      }}
    />
  )
}

const targetingNames = {
  phrases: t('phrases'),
  categoryPaths: t('categories'),
  brands: t('brands'),
  productIds: t('products'),
  profiles: t('profiles'),
  refererPatterns: t('pages'),
} as const
const SHOWN_MAX = 12

function targetingFacts(targeting: Campaign['targeting']): Record<string, string> {
  const set = Object.entries(targeting ?? {}).filter(([, values]) => values.length > 0)
  return Object.fromEntries(
    set.map(([name, values]) => {
      const list = values.slice(0, SHOWN_MAX).join(', ')
      const count = values.length - SHOWN_MAX
      return [targetingNames[name as keyof typeof targetingNames], count > 0 ? t('andMore', { list, count }) : list]
    }),
  )
}

function History({ history }: { history: NonNullable<Campaign['moderation']>['history'] }) {
  if (history.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('noDecisions')}
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
          title={<Text size="sm">{state === 'ACCEPTED' ? t('accepted') : t('rejected')}</Text>}
        >
          {reason && <Text size="sm">{reason}</Text>}
          <Text size="xs" c="dimmed">
            <DateTime at={decidedAt} />
            {t('decidedBy', { name: decidedByName ?? t('automation'), version })}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}
