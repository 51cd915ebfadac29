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
import { t } from '../../../messages/pages/administration.ts'
import { AuditCheck } from './audit-check.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { EngineChecks } from './engine-checks.tsx'

const REFRESH_MS = 5_000
const ADDRESSES_REFRESH_MS = 60_000
/** With fewer events than this, nothing is said about proxies: somebody is only trying the program out. */
const EVENTS_MIN = 100

type Audit = Answer<'/v1/panel/audit'>
type Topic = Audit['topics'][number]

const columns: Column<Topic>[] = [
  { title: t('topic'), cell: ({ topic }) => topic },
  { title: t('logged'), cell: ({ logged }) => formatCount(logged), align: 'end' },
  { title: t('stored'), cell: ({ stored }) => formatCount(stored), align: 'end' },
  { title: t('duplicates'), cell: ({ duplicates }) => formatCount(duplicates), align: 'end' },
  { title: t('failedEvents'), cell: ({ deadLetters }) => formatCount(deadLetters), align: 'end' },
  { title: t('processingDelay'), cell: ({ lagMs }) => formatDuration(lagMs), align: 'end' },
  { title: t('state'), cell: (topic) => <AuditState {...topic} /> },
]

function AuditState({ logged, stored, deadLetters, duplicates }: Omit<Topic, 'topic'>) {
  if (duplicates > 0) return <StatusBadge status="FAILED" label={t('storedTwice')} />
  if (logged > stored + deadLetters) return <StatusBadge status="RUNNING" label={t('catchingUp')} />
  return <StatusBadge status="OK" label={t('complete')} />
}

/** The state of the engines, the audit of logged against stored events, and the dead letters. */
export default function HealthPage() {
  const audit = useEntity('/v1/panel/audit', { refreshMs: REFRESH_MS })
  const { data, problem } = audit
  return (
    <>
      <PageHeader title={t('systemHealth')} description={t('systemHealthHelp')} />
      <Stack gap="lg">
        <EngineChecks />
        <ClientAddresses />
        <SimpleGrid cols={{ base: 2, md: 5 }} spacing="sm">
          <StatCard
            label={t('logged')}
            value={data && formatCount(data.logged)}
            problem={problem}
            hint={t('loggedHint')}
          />
          <StatCard
            label={t('stored')}
            value={data && formatCount(data.stored)}
            problem={problem}
            hint={t('storedHint')}
          />
          <StatCard
            label={t('duplicates')}
            value={data && formatCount(data.duplicates)}
            problem={problem}
            hint={t('duplicatesHint')}
          />
          <StatCard
            label={t('failedEvents')}
            value={data && formatCount(data.deadLetters)}
            problem={problem}
            hint={t('failedEventsHint')}
          />
          <StatCard
            label={t('processingDelay')}
            value={data && formatDuration(data.lagMs)}
            problem={problem}
            hint={t('processingDelayHint')}
          />
        </SimpleGrid>
        <PanelCard title={t('audit')} description={t('auditHelp')}>
          <DataTable
            label={t('topics')}
            list={listOf(audit, data?.topics)}
            columns={columns}
            rowKey={({ topic }) => topic}
            empty={{ title: t('noTopics') }}
          />
        </PanelCard>
        <AuditCheck topics={data?.topics.map(({ topic }) => topic) ?? []} />
        <DeadLetters topics={data?.topics.map(({ topic }) => topic) ?? []} />
      </Stack>
    </>
  )
}

/** Warns when most views and clicks have no client address, because the rules against invalid traffic cannot count by address then. */
function ClientAddresses() {
  const { data } = useEntity('/v1/panel/invalid-traffic/addresses', { refreshMs: ADDRESSES_REFRESH_MS })
  if (!data || data.events < EVENTS_MIN || data.known * 2 >= data.events) return null
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={t('addressesUnknown')}>
      {t('addressesUnknownHelp', { unknown: formatCount(data.events - data.known), all: formatCount(data.events) })}
    </Alert>
  )
}
