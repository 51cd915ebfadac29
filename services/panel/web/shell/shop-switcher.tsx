import { Select, Text } from '@mantine/core'
import { useSession } from '../session/session.ts'
import { useShop } from '../session/shop-context.tsx'

const SEARCH_FROM = 8

/** Which shop the pages are about, for those who have several. Advertisers choose by campaign instead. */
export function ShopSwitcher() {
  const { role } = useSession().user
  const { shops, shop, choose } = useShop()
  if (role === 'ADVERTISER' || !shops || !shop) return null
  if (shops.length === 1) {
    return (
      <Text size="sm" fw={500} truncate maw={200}>
        {shop.name}
      </Text>
    )
  }
  return (
    <Select
      aria-label="Shop"
      size="xs"
      w={190}
      allowDeselect={false}
      searchable={shops.length >= SEARCH_FROM}
      value={shop.id}
      onChange={(id) => id && choose(id)}
      data={shops.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
