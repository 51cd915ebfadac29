import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Campaign, Shop } from '../../../client/types.ts'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { Money } from '../../../components/values/money.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { t } from '../../../messages/pages/campaigns/campaigns.ts'
import { useMayChange } from '../campaign-switch.tsx'
import { countryName } from '../countries.ts'
import { pacingOf } from '../spend.ts'
import { SpendBar } from '../spend-bar.tsx'

/** The most values of a list that are shown. For the others, only their number is shown. */
const VALUES_SHOWN_MAX = 20

interface SettingsProps {
  campaign: Campaign
  shop: Shop | undefined
}

export function Settings({ campaign, shop }: SettingsProps) {
  const mayChange = useMayChange()
  const whoMay = mayChange(campaign) ? undefined : t('ofAdvertiser', { advertiser: campaign.accountName ?? '' })
  return (
    <PanelCard title={t('settings')} description={whoMay}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <DetailList details={moneyDetails(campaign, shop)} />
        <DetailList details={otherDetails(campaign, shop)} />
      </SimpleGrid>
    </PanelCard>
  )
}

function moneyDetails(campaign: Campaign, shop: Shop | undefined): Record<string, ReactNode> {
  const { budget, spent, dailyBudget, pacing, cpc, cpm } = campaign
  const currency = shop?.currency
  if (campaign.autoPromo && budget === 0) return { [t('money')]: t('freePromotion') }
  return {
    [t('budget')]: (
      <Stack gap={6}>
        <span>
          <Money amount={spent} currency={currency} />{' '}
          {t.rich('ofAmount', { amount: <Money key="budget" amount={budget} currency={currency} /> })}
        </span>
        <SpendBar pacing={pacingOf(campaign, Date.now())} />
      </Stack>
    ),
    [t('dailyBudget')]: dailyBudget === null ? t('noLimit') : <Money amount={dailyBudget} currency={currency} />,
    [t('pacing')]: pacing === 'EVEN' ? t('even') : t('asap'),
    [campaign.kind === 'SPONSORED' ? t('cpc') : t('cpmShort')]: (
      <Money amount={campaign.kind === 'SPONSORED' ? cpc : cpm} currency={currency} />
    ),
  }
}

function otherDetails(campaign: Campaign, shop: Shop | undefined): Record<string, ReactNode> {
  const { startAt, endAt, capping, country, targetUrl, attributionProductIds } = campaign
  const zone = shop ? { timeZone: shop.timeZone } : {}
  return {
    [t('starts')]: <DateTime at={startAt} {...zone} />,
    [t('ends')]: endAt === null ? t('noEndDate') : <DateTime at={endAt} {...zone} />,
    ...(shop ? { [t('timeZone')]: shop.timeZone.replaceAll('_', ' ') } : {}),
    [t('frequencyCap')]: capping === null ? t('noCap') : t('views', { count: capping }),
    [t('otherCredited')]:
      attributionProductIds.length === 0 ? t('none') : t('products', { count: attributionProductIds.length }),
    ...(campaign.kind === 'DISPLAY'
      ? {
          [t('country')]: countryName(country ?? ''),
          [t('leadsTo')]: (
            <Anchor href={targetUrl} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
              {targetUrl}
            </Anchor>
          ),
        }
      : {}),
  }
}

/** Which products are promoted, or where banners are shown. */
export function Targeting({ campaign, shop }: SettingsProps) {
  const details = campaign.kind === 'SPONSORED' ? ruleDetails(campaign, shop) : pageDetails(campaign)
  const rule = campaign.products?.rule
  const help =
    campaign.kind === 'SPONSORED'
      ? rule
        ? t('everyProduct')
        : t('listedProducts')
      : Object.keys(details).length === 0
        ? t('noTargeting')
        : undefined
  return (
    <PanelCard title={t('targeting')}>
      <Stack gap="sm">
        {help && (
          <Text size="sm" c="dimmed">
            {help}
          </Text>
        )}
        {Object.keys(details).length > 0 && <DetailList details={details} />}
      </Stack>
    </PanelCard>
  )
}

function ruleDetails({ products }: Campaign, shop: Shop | undefined): Record<string, ReactNode> {
  const rule = products?.rule
  if (!rule) return { [t('productsField')]: t('products', { count: products?.ids?.length ?? 0 }) }
  return withValues({
    [t('brands')]: rule.brands,
    [t('categories')]: rule.categoryPaths,
    [t('labels')]: rule.labels,
    [t('sellers')]: rule.sellerIds,
    [t('price')]: priceOf(rule, shop?.currency),
  })
}

function pageDetails({ targeting }: Campaign): Record<string, ReactNode> {
  return withValues({
    [t('searches')]: targeting?.phrases,
    [t('categories')]: targeting?.categoryPaths,
    [t('brands')]: targeting?.brands,
    [t('productsShown')]: targeting?.productIds,
    [t('profiles')]: targeting?.profiles,
    [t('pagesOfShop')]: targeting?.refererPatterns,
  })
}

function priceOf(
  { priceMin, priceMax }: { priceMin?: number; priceMax?: number },
  currency: string | undefined,
): ReactNode {
  const money = (amount: number, key: string) => <Money key={key} amount={amount} currency={currency} />
  if (priceMin !== undefined && priceMax !== undefined) {
    return t.rich('priceBetween', { from: money(priceMin, 'from'), to: money(priceMax, 'to') })
  }
  if (priceMin !== undefined) return t.rich('priceFrom', { amount: money(priceMin, 'from') })
  return priceMax === undefined ? undefined : t.rich('priceTo', { amount: money(priceMax, 'to') })
}

/** Leaves out details that restrict nothing. */
function withValues(details: Record<string, readonly string[] | ReactNode>): Record<string, ReactNode> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([label, value]): [string, ReactNode][] => {
      if (!Array.isArray(value)) return value ? [[label, value as ReactNode]] : []
      return value.length > 0 ? [[label, <Values key={label} values={value} />]] : []
    }),
  )
}

function Values({ values }: { values: readonly string[] }) {
  const others = values.length - VALUES_SHOWN_MAX
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      <bdi>{values.slice(0, VALUES_SHOWN_MAX).join(' · ')}</bdi>
      {others > 0 && ` ${t('moreValues', { count: others })}`}
    </span>
  )
}
