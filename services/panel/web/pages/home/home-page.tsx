import { SimpleGrid, Stack } from '@mantine/core'
import { PageHeader } from '../../components/page/page-header.tsx'
import { StatCard } from '../../components/page/stat-card.tsx'
import { formatDuration } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { FIGURES, Figures, useLastDays } from './figures.tsx'

const REFRESH_MS = 15_000

/** The first page of each role. */
export default function HomePage() {
  const { role } = useSession().user
  switch (role) {
    case 'OPERATOR':
      return <OperatorHome />
    case 'PUBLISHER':
      return <PublisherHome />
    case 'ADVERTISER':
      return <AdvertiserHome />
  }
}

/** The whole installation at a glance. */
function OperatorHome() {
  const report = useLastDays(FIGURES)
  const { data: audit } = useEntity('/v1/panel/audit', { refreshMs: REFRESH_MS })
  const accounts = useList('/v1/panel/accounts', { pageSize: PAGE_SIZE_MAX })
  const waiting = useList('/v1/panel/moderation', { query: { state: 'IN_MODERATION' }, pageSize: 100 })
  const ofKind = (wanted: string) => accounts.items?.filter(({ kind }) => kind === wanted).length
  return (
    <>
      <PageHeader title="Home" description="Live figures of all shops" />
      <Stack gap="lg">
        <Figures report={report} />
        <SimpleGrid cols={{ base: 2, md: 3, xl: 5 }} spacing="sm">
          <StatCard label="Publishers" value={ofKind('PUBLISHER')} hint="accounts" to="/accounts" />
          <StatCard label="Advertisers" value={ofKind('ADVERTISER')} hint="accounts" to="/accounts" />
          <StatCard label="To moderate" value={waiting.items?.length} hint="campaigns with banners" to="/moderation" />
          <StatCard
            label="Behind the log"
            value={audit && formatDuration(audit.lagMs)}
            hint="oldest event not stored yet"
            to="/health"
          />
          <StatCard label="Dead letters" value={audit?.deadLetters} hint="could not be processed" to="/health" />
        </SimpleGrid>
      </Stack>
    </>
  )
}

/** What sells in the chosen shop, and what waits for its publisher. */
function PublisherHome() {
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

/** What the advertiser's campaigns bring, and which of them run. */
function AdvertiserHome() {
  const { account } = useSession()
  const report = useLastDays(FIGURES)
  const { items } = useList('/v1/panel/campaigns', { pageSize: PAGE_SIZE_MAX })
  const inState = (...states: string[]) => items?.filter(({ state }) => states.includes(state)).length
  return (
    <>
      <PageHeader title={account?.name ?? 'Home'} description="Live figures of your campaigns" />
      <Stack gap="lg">
        <Figures report={report} />
        <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing="sm">
          <StatCard label="Running" value={inState('RUNNING')} hint="campaigns" to="/campaigns" />
          <StatCard label="Scheduled" value={inState('SCHEDULED')} hint="campaigns" to="/campaigns" />
          <StatCard label="In moderation" value={inState('IN_MODERATION')} hint="campaigns" to="/campaigns" />
          <StatCard label="Rejected" value={inState('REJECTED')} hint="campaigns" to="/campaigns" />
          <StatCard label="Budget spent" value={inState('EXHAUSTED')} hint="campaigns" to="/campaigns" />
          <StatCard label="Paused" value={inState('PAUSED')} hint="campaigns" to="/campaigns" />
        </SimpleGrid>
      </Stack>
    </>
  )
}
