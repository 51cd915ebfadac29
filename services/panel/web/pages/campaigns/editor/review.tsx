import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AdFormat } from '../../../client/types.ts'
import { FormSection } from '../../../components/form/form-section.tsx'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { BannerPreview, imageUrl } from '../../../components/values/banner-preview.tsx'
import { Money } from '../../../components/values/money.tsx'
import { countryName } from '../countries.ts'
import { ProductCount } from '../products/product-count.tsx'
import { KINDS } from '../words.ts'
import type { SectionProps } from './campaign-form.ts'
import type { AmountValue, RuleValues } from './values/campaign-values.ts'

/** A summary of the campaign before it is created. */
export function Review({ form, shop, account, formats }: SectionProps & { formats: readonly AdFormat[] | undefined }) {
  const { values } = form
  const money = (amount: AmountValue, none: string) =>
    amount === '' ? none : <Money amount={amount} currency={shop?.currency} />
  const isSponsored = values.kind === 'SPONSORED'
  return (
    <>
      <FormSection title="Review" description="Nothing runs before you create it.">
        <DetailList
          details={{
            Name: values.name,
            Kind: KINDS.find(({ value }) => value === values.kind)?.label,
            Shop: shop?.name,
            'Paid by': values.autoPromo ? 'Nobody: an own promotion is free' : account?.name,
            ...(isSponsored ? {} : { Country: countryName(values.country), 'Leads to': values.targetUrl }),
            Starts: values.startAt === '' ? 'At once' : values.startAt.replace('T', ', '),
            Ends: values.endAt === '' ? 'When the budget does' : values.endAt.replace('T', ', '),
            ...(values.autoPromo
              ? {}
              : {
                  [isSponsored ? 'Bid for a click' : 'A thousand views']: money(
                    isSponsored ? values.cpc : values.cpm,
                    '–',
                  ),
                  Budget: money(values.budget, '–'),
                  'Daily budget': money(values.dailyBudget, 'No limit'),
                  Pacing: values.pacing === 'EVEN' ? 'Even' : 'As fast as possible',
                }),
            'Views per person': values.capping === '' ? 'No cap' : `${values.capping} a day`,
          }}
        />
      </FormSection>
      {isSponsored ? (
        <FormSection title="Products">
          {values.productsBy === 'rule' && <DetailList details={ruleDetails(values.products.rule, money)} />}
          <ProductCount values={values} />
        </FormSection>
      ) : (
        <FormSection
          title="Banners"
          description="They go to moderation: the publisher looks at them before they are shown."
        >
          <Stack>
            {values.banners.map(({ key, adFormatId, images, logoImageId, textFields }) => {
              const format = formats?.find(({ id }) => id === adFormatId)
              return format ? (
                <div key={key}>
                  <Text size="sm" fw={500} mb={4}>
                    {format.name}
                  </Text>
                  <BannerPreview
                    format={format}
                    imageUrls={images.map(({ imageId }) => imageUrl(imageId))}
                    logoUrl={logoImageId === null ? null : imageUrl(logoImageId)}
                    texts={Object.fromEntries(textFields.map(({ type, value }) => [type, value]))}
                  />
                </div>
              ) : null
            })}
          </Stack>
        </FormSection>
      )}
    </>
  )
}

function ruleDetails(
  rule: RuleValues,
  money: (amount: AmountValue, none: string) => ReactNode,
): Record<string, ReactNode> {
  const { brands, categoryPaths, labels, sellerIds, priceMin, priceMax } = rule
  const said: Record<string, ReactNode> = {
    Brands: brands.join(', '),
    Categories: categoryPaths.join(', '),
    Labels: labels.join(', '),
    Sellers: sellerIds.join(', '),
    'Price from': money(priceMin, ''),
    'Price to': money(priceMax, ''),
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== ''))
}
