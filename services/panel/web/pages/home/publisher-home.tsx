import { SimpleGrid, Stack } from '@mantine/core'
import { PageHeader } from '../../components/page/page-header.tsx'
import { StatCard } from '../../components/page/stat-card.tsx'
import { useList } from '../../data/use-list.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { FIGURES, Figures } from './figures.tsx'
import { useLastDays } from './last-days.ts'

/** What sells in the chosen shop, and what waits for its publisher. */
export default function PublisherHome() {
  const { account } = useSession()
  const { shop, shops } = useShop()
  const report = useLastDays(FIGURES, shop ? { shopId: shop.id } : {})
  const query = { state: 'IN_MODERATION', ...(shop && { shopId: shop.id }) } as const
  const waiting = useList('/v1/panel/moderation', { query, pageSize: 100 })
  return (
    <>
      <PageHeader title={shop?.name ?? account?.name ?? 'Home'} description="Live figures of this shop" />
      <Stack gap="lg">
        <Figures report={report} />
        <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing="sm">
          <StatCard label="To moderate" value={waiting.items?.length} hint="campaigns with banners" to="/moderation" />
          <StatCard label="Shops" value={shops?.length} hint="of this account" to="/shops" />
        </SimpleGrid>
      </Stack>
    </>
  )
}
