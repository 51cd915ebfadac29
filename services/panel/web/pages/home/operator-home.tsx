import { SimpleGrid, Stack } from '@mantine/core'
import { PageHeader } from '../../components/page/page-header.tsx'
import { StatCard } from '../../components/page/stat-card.tsx'
import { formatDuration } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { FIGURES, Figures } from './figures.tsx'
import { useLastDays } from './last-days.ts'

const REFRESH_MS = 15_000

/** The whole installation at a glance. */
export default function OperatorHome() {
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
