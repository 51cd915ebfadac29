import { Box, Select, Stack, TagsInput, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useState } from 'react'
import type { Shop } from '../../../client/types.ts'
import { formatCount } from '../../../components/values/numbers.ts'
import { useEntity } from '../../../data/use-entity.ts'
import { useSearchText } from '../../../data/use-search-text.ts'
import { t } from '../../../messages/pages/administration-accounts.ts'
import { useShop } from '../../../session/shop-context.tsx'

const SUGGESTIONS = 50
/** The API's limit on the sellers of one count. */
const SELLERS_MAX = 1_000

interface SellersFieldProps {
  /** Seller ids. */
  chosen: readonly string[]
  /** The field's props of the form. */
  field: GetInputPropsReturnType
}

/** The sellers of an account, chosen from the sellers in a shop's feeds, or typed. */
export function SellersField({ chosen, field }: SellersFieldProps) {
  const { shops = [], shop: shown } = useShop()
  const [shopId, setShopId] = useState<string | null>(null)
  const shop = shops.find(({ id }) => id === shopId) ?? shown
  const [search, setSearch] = useState('')
  const q = useSearchText(search)
  const { data } = useEntity('/v1/panel/sellers', {
    query: { shopId: shop?.id ?? '', limit: SUGGESTIONS, ...(q === '' ? {} : { q }) },
    enabled: shop !== undefined,
  })
  const counts = new Map(data?.items.map(({ sellerId, productCount }) => [sellerId, productCount]))
  return (
    <Stack gap="xs">
      {shops.length > 1 && (
        <Select
          label={t('sellersOf')}
          maw={456}
          allowDeselect={false}
          searchable
          data={shops.map(({ id, name }) => ({ value: id, label: name }))}
          value={shop?.id ?? null}
          onChange={setShopId}
        />
      )}
      <TagsInput
        label={t('sellersField')}
        description={t('sellersFieldHelp')}
        splitChars={[',', ' ', '|']}
        data={[...counts.keys()]}
        // The server has filtered the options already.
        filter={({ options }) => options}
        renderOption={({ option: { value } }) =>
          t('sellerOption', { sellerId: String(value), count: counts.get(String(value)) ?? 0 })
        }
        onSearchChange={setSearch}
        {...field}
      />
      {shop && chosen.length > 0 && <SellerMatch shop={shop} sellerIds={chosen} />}
    </Stack>
  )
}

/** Two lines, so that the fields below stay where they are when the answer comes. */
const MATCH_HEIGHT = 44

/** The number of a shop's products that the sellers have, and the sellers without any. */
function SellerMatch({ shop, sellerIds }: { shop: Shop; sellerIds: readonly string[] }) {
  const ids = sellerIds.slice(0, SELLERS_MAX)
  const { data } = useEntity('/v1/panel/sellers', { query: { shopId: shop.id, ids, limit: SELLERS_MAX } })
  if (!data) return <Box h={MATCH_HEIGHT} />
  const known = new Set(data.items.map(({ sellerId }) => sellerId))
  const unknown = ids.filter((id) => !known.has(id))
  const matching = data.items.reduce((sum, { productCount }) => sum + productCount, 0)
  return (
    <Box role="status" mih={MATCH_HEIGHT}>
      <Text size="sm">
        {t('sellersMatch', { shop: shop.name, matching: formatCount(matching), all: formatCount(data.productCount) })}
      </Text>
      {unknown.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('sellersUnknown', { shop: shop.name, sellers: unknown.join(', ') })}
        </Text>
      )}
    </Box>
  )
}
