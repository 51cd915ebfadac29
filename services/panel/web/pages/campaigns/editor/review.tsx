import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AdFormat } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { CampaignBannerPreview } from '../../../components/values/banner-preview.tsx'
import { Money } from '../../../components/values/money.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import { t as productWords } from '../../../messages/pages/campaigns/products.ts'
import { countryName } from '../countries.ts'
import { ProductCount, useProductCount } from '../products/product-count.tsx'
import { KINDS } from '../words.ts'
import type { SectionProps } from './campaign-form.ts'
import type { TargetingValues } from './values/campaign-values.ts'
import type { AmountValue, RuleValues } from './values/products-choice.ts'
import { targetingLists } from './values/targeting-lists.ts'
import { fromZoneTime } from './values/zone-time.ts'

interface ReviewProps extends SectionProps {
  formats: readonly AdFormat[] | undefined
}

/** A summary of the campaign before it is created. */
export function Review({ form, shop, account, formats }: ReviewProps) {
  const { values } = form
  const money = (amount: AmountValue, none: string) =>
    amount === '' ? none : <Money amount={amount} currency={shop?.currency} />
  const when = (local: string) => shop && <DateTime at={fromZoneTime(local, shop.timeZone)} timeZone={shop.timeZone} />
  const isSponsored = values.kind === 'SPONSORED'
  const { attributionProductIds } = values
  return (
    <>
      <FormSection title={t('stepReview')} description={t('reviewHelp')}>
        <DetailList
          details={{
            [t('name')]: values.name,
            [t('type')]: KINDS.find(({ value }) => value === values.kind)?.label,
            [t('shop')]: shop?.name,
            [t('paidBy')]: values.autoPromo ? t('paidByNobody') : account?.name,
            ...(isSponsored ? {} : { [t('country')]: countryName(values.country), [t('leadsTo')]: values.targetUrl }),
            [t('startsAt')]: values.startAt === '' ? t('startsImmediately') : when(values.startAt),
            [t('endsAt')]: values.endAt === '' ? t('noEndDate') : when(values.endAt),
            ...(values.autoPromo
              ? {}
              : {
                  [isSponsored ? t('cpc') : t('cpm')]: money(isSponsored ? values.cpc : values.cpm, '–'),
                  [t('budget')]: money(values.budget, '–'),
                  [t('dailyBudget')]: money(values.dailyBudget, t('noLimit')),
                  [t('pacing')]: values.pacing === 'EVEN' ? t('pacingEven') : t('pacingAsap'),
                }),
            [t('capping')]: values.capping === '' ? t('cappingNone') : t('cappingViews', { count: values.capping }),
            [t('credited')]:
              attributionProductIds.length === 0
                ? t('creditedNone')
                : productWords('countProducts', { count: attributionProductIds.length }),
          }}
        />
      </FormSection>
      {isSponsored ? (
        <ProductsReview values={values} money={money} />
      ) : (
        <>
          <FormSection title={t('targeting')}>
            <TargetingSummary targeting={values.targeting} />
          </FormSection>
          <BannersReview values={values} formats={formats} />
        </>
      )}
    </>
  )
}

/** The targeting lists that restrict the campaign. */
export function TargetingSummary({ targeting }: { targeting: TargetingValues }) {
  const set = targetingLists.filter(({ name }) => targeting[name].length > 0)
  if (set.length === 0) return <Text size="sm">{t('targetingNone')}</Text>
  return <DetailList details={Object.fromEntries(set.map(({ name, label }) => [label, targeting[name].join(', ')]))} />
}

type Values = SectionProps['form']['values']
type FormatAmount = (amount: AmountValue, none: string) => ReactNode

function ProductsReview({ values, money }: { values: Values; money: FormatAmount }) {
  const { data } = useProductCount(values)
  return (
    <FormSection title={t('products')}>
      {values.productsBy === 'rule' && <DetailList details={ruleDetails(values.products.rule, money)} />}
      <ProductCount values={values} />
      {data?.matching === 0 && !data.indexing && values.status === 'DRAFT' && (
        <Alert color="orange" variant="light">
          {t('draftWithoutProducts')}
        </Alert>
      )}
    </FormSection>
  )
}

function BannersReview({ values, formats }: { values: Values; formats: ReviewProps['formats'] }) {
  return (
    <FormSection title={t('stepBanners')} description={t('bannersReviewed')}>
      <Stack>
        {values.banners.map((banner) => {
          const format = formats?.find(({ id }) => id === banner.adFormatId)
          return format ? (
            <div key={banner.key}>
              <Text size="sm" fw={500} mb={4}>
                {format.name}
              </Text>
              <CampaignBannerPreview format={format} banner={banner} />
            </div>
          ) : null
        })}
      </Stack>
    </FormSection>
  )
}

function ruleDetails(rule: RuleValues, money: FormatAmount): Record<string, ReactNode> {
  const { brands, categoryPaths, labels, sellerIds, priceMin, priceMax } = rule
  const said: Record<string, ReactNode> = {
    [t('brands')]: brands.join(', '),
    [t('categoryPaths')]: categoryPaths.join(', '),
    [t('labels')]: labels.join(', '),
    [t('sellers')]: sellerIds.join(', '),
    [t('priceFrom')]: money(priceMin, ''),
    [t('priceTo')]: money(priceMax, ''),
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== ''))
}
