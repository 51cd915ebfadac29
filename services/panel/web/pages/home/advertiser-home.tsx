import { SimpleGrid, Stack } from '@mantine/core'
import { PageHeader } from '../../components/page/page-header.tsx'
import { StatCard } from '../../components/page/stat-card.tsx'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { useSession } from '../../session/session.ts'
import { FIGURES, Figures } from './figures.tsx'
import { useLastDays } from './last-days.ts'

/** What the advertiser's campaigns bring, and which of them run. */
export default function AdvertiserHome() {
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
