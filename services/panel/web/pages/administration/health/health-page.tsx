import { Alert, SimpleGrid, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { Answer } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { StatCard } from '../../../components/page/stat-card.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { formatDuration } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { listOf } from '../../../data/use-list.ts'
import { DeadLetters } from './dead-letters.tsx'
import { EngineChecks } from './engine-checks.tsx'

const REFRESH_MS = 5_000
const ADDRESSES_REFRESH_MS = 60_000
/** Fewer events prove nothing about the proxies: somebody is trying the program out. */
const EVENTS_MIN = 100

type Audit = Answer<'/v1/panel/audit'>
type Topic = Audit['topics'][number]

const columns: Column<Topic>[] = [
  { title: 'Topic', cell: ({ topic }) => topic },
  { title: 'Logged', cell: ({ logged }) => formatCount(logged), align: 'end' },
  { title: 'Stored', cell: ({ stored }) => formatCount(stored), align: 'end' },
  { title: 'Duplicates', cell: ({ duplicates }) => formatCount(duplicates), align: 'end' },
  { title: 'Dead letters', cell: ({ deadLetters }) => formatCount(deadLetters), align: 'end' },
  { title: 'Lag', cell: ({ lagMs }) => formatDuration(lagMs), align: 'end' },
  { title: 'State', cell: (topic) => <AuditState {...topic} /> },
]

function AuditState({ logged, stored, deadLetters, duplicates }: Omit<Topic, 'topic'>) {
  if (duplicates > 0) return <StatusBadge status="FAILED" label="Stored twice" />
  if (logged > stored + deadLetters) return <StatusBadge status="RUNNING" label="Catching up" />
  return <StatusBadge status="OK" label="Complete" />
}

/** The state of the engines, the audit of logged against stored events, and the dead letters. */
export default function HealthPage() {
  const audit = useEntity('/v1/panel/audit', { refreshMs: REFRESH_MS })
  const { data } = audit
  return (
    <>
      <PageHeader title="System health" description="Kept up every few seconds." />
      <Stack gap="lg">
        <EngineChecks />
        <ClientAddresses />
        <SimpleGrid cols={{ base: 2, md: 5 }} spacing="sm">
          <StatCard label="Logged" value={data && formatCount(data.logged)} hint="events in the log" />
          <StatCard label="Stored" value={data && formatCount(data.stored)} hint="in the analytics store" />
          <StatCard label="Duplicates" value={data && formatCount(data.duplicates)} hint="rows beyond one an event" />
          <StatCard label="Dead letters" value={data && formatCount(data.deadLetters)} hint="could not be processed" />
          <StatCard label="Lag" value={data && formatDuration(data.lagMs)} hint="oldest event not stored yet" />
        </SimpleGrid>
        <PanelCard
          title="Audit"
          description="What the log holds against what the analytics store holds: logged = stored + dead letters, once."
        >
          <DataTable
            label="Topics"
            list={listOf(audit, data?.topics)}
            columns={columns}
            rowKey={({ topic }) => topic}
            empty={{ title: 'No topics' }}
          />
        </PanelCard>
        <DeadLetters topics={data?.topics.map(({ topic }) => topic) ?? []} />
      </Stack>
    </>
  )
}

/** Warns when most views and clicks have no client address, so that rules against invalid traffic cannot count by it. */
function ClientAddresses() {
  const { data } = useEntity('/v1/panel/invalid-traffic/addresses', { refreshMs: ADDRESSES_REFRESH_MS })
  if (!data || data.events < EVENTS_MIN || data.known * 2 >= data.events) return null
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="The addresses of shoppers are unknown">
      {formatCount(data.events - data.known)} of {formatCount(data.events)} views and clicks of the last 24 hours came
      without a public address, so rules against invalid traffic do not count them. Name the proxy in front of Endcap in
      TRUSTED_PROXIES; a shop whose server reports events sends endcap-client-address with its token.
    </Alert>
  )
}
