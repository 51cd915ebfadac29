import { SimpleGrid, Stack, TagsInput, Text } from '@mantine/core'
import { RULE_VALUES_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { MoneyInput } from '../../../components/form/money-input.tsx'
import { useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/campaigns/editor.ts'
import type { SectionProps } from '../editor/campaign-form.ts'
import { errorUnder } from '../editor/values/campaign-problems.ts'

/** The number of products from which suggestions are taken. */
const SUGGESTIONS_FROM = 300

const lists = [
  { name: 'brands', label: t('brands'), description: t('ruleBrandsHelp') },
  { name: 'categoryPaths', label: t('categoryPaths'), description: t('ruleCategoriesHelp') },
  { name: 'labels', label: t('labels'), description: t('labelsHelp') },
  { name: 'sellerIds', label: t('sellers'), description: t('sellersHelp') },
] as const

/** Chooses products by a rule, which also applies to future products. */
export default function ProductRule({ form, shop }: Pick<SectionProps, 'form' | 'shop'>) {
  const suggestions = useSuggestions(form.values.shopId)
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('ruleHelp')}
      </Text>
      {lists.map(({ name, label, description }) => (
        <TagsInput
          key={name}
          label={label}
          description={description}
          data={suggestions[name]}
          limit={50}
          maxTags={RULE_VALUES_MAX}
          splitChars={name === 'categoryPaths' ? ['\n'] : [',', '\n']}
          {...form.getInputProps(`products.rule.${name}`)}
          error={errorUnder(form.errors, `products.rule.${name}`)}
        />
      ))}
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw={456}>
        <MoneyInput
          label={t('priceFrom')}
          currency={shop?.currency}
          {...form.getInputProps('products.rule.priceMin')}
        />
        <MoneyInput label={t('priceTo')} currency={shop?.currency} {...form.getInputProps('products.rule.priceMax')} />
      </SimpleGrid>
      {form.errors['products.rule'] && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {form.errors['products.rule']}
        </Text>
      )}
    </Stack>
  )
}

/** Suggests values that the shop's products have. */
function useSuggestions(shopId: string) {
  const { items = [] } = useList('/v1/panel/products', {
    query: { shopId },
    pageSize: SUGGESTIONS_FROM,
    enabled: shopId !== '',
  })
  return {
    brands: distinct(items.map(({ brand }) => brand)),
    categoryPaths: distinct(items.flatMap(({ productTypes }) => productTypes.flatMap(pathAndAbove))),
    labels: distinct(items.flatMap(({ labels }) => labels)),
    sellerIds: distinct(items.map(({ externalSellerId }) => externalSellerId)),
  }
}

const distinct = (values: readonly (string | null)[]) => [...new Set(values.filter((value) => value !== null))].sort()

function pathAndAbove(path: string): string[] {
  const levels = path.split('>').map((level) => level.trim())
  return levels.map((_, depth) => levels.slice(0, depth + 1).join(' > '))
}
