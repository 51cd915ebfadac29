import { Select, Text } from '@mantine/core'
import type { Item } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useAddressValue } from '../../../data/use-address-value.ts'
import { useList } from '../../../data/use-list.ts'
import { t } from '../../../messages/pages/administration.ts'
import { useSession } from '../../../session/session.ts'
import { kindNames } from '../accounts/account-kinds.ts'

/** The security log: of the whole installation for operators, of the user's own account for others. */
export default function SecurityLogPage() {
  const { user, account } = useSession()
  const isOwn = account !== null && user.role !== 'OPERATOR'
  return (
    <>
      <PageHeader
        title={t('securityLog')}
        description={isOwn ? t('securityLogOf', { account: account.name }) : t('securityLogHelp')}
      />
      <SecurityEvents />
    </>
  )
}

type SecurityEvent = Item<'/v1/panel/security-log'>
type Kind = SecurityEvent['kind']

const kinds: readonly Kind[] = [
  'SIGNED_IN',
  'SIGN_IN_FAILED',
  'SIGN_IN_LIMITED',
  'SIGNED_OUT',
  'SIGNED_OUT_EVERYWHERE',
  'REAUTHENTICATED',
  'REAUTHENTICATION_FAILED',
  'TOKEN_CREATED',
  'TOKEN_FIRST_USED',
  'TOKEN_REVOKED',
  'SIGNING_KEY_CREATED',
  'USER_CREATED',
  'USER_RENAMED',
  'USER_DISABLED',
  'USER_ENABLED',
  'PASSWORD_CHANGED',
  'PASSWORD_LINK_CREATED',
  'PASSWORD_LINK_USED',
  'SECOND_FACTOR_ENABLED',
  'SECOND_FACTOR_REMOVED',
  'RECOVERY_CODES_CREATED',
  'RECOVERY_CODE_USED',
  'DELETED',
  'ERASURE_REQUESTED',
  'PERSONAL_DATA_READ',
]
const choices = kinds.map((value) => ({ value, label: t(value) }))

const columns: Column<SecurityEvent>[] = [
  { title: t('when'), cell: ({ occurredAt }) => <DateTime at={occurredAt} /> },
  { title: t('what'), cell: ({ kind }) => t(kind) },
  { title: t('who'), cell: ({ actor }) => actorName(actor) },
  { title: t('subject'), cell: (event) => <Subject event={event} /> },
  { title: t('from'), cell: ({ source }) => (source === null ? '–' : <Source hash={source} />) },
]

function SecurityEvents() {
  const [asked, setKind] = useAddressValue<Kind>('kind')
  const kind = kinds.find((each) => each === asked) ?? null
  const list = useList('/v1/panel/security-log', { query: kind ? { kind } : {} })
  return (
    <DataTable
      label={t('securityEvents')}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      filters={
        <Select
          aria-label={t('whatHappened')}
          placeholder={t('everything')}
          clearable
          searchable
          data={choices}
          value={kind}
          onChange={(value) => setKind(value as Kind | null)}
        />
      }
      empty={{ title: t('noEvents'), description: t('noEventsHelp') }}
    />
  )
}

function actorName({ kind, name }: SecurityEvent['actor']): string {
  switch (kind) {
    case 'NOBODY':
      return t('unknownActor')
    case 'BOOTSTRAP':
      return t('bootstrapToken')
    case 'TOKEN':
      return name === null ? t('tokenOfOther') : t('tokenOf', { name })
    case 'USER':
      return name ?? t('theOperator')
  }
}

/** For the event of a new user, the detail is the role. */
const roleNames: Readonly<Record<string, string>> = kindNames

function Subject({ event: { subject, detail } }: { event: SecurityEvent }) {
  return (
    <div>
      {subject ? `${words(subject.kind)} ${subject.name ?? ''}` : '–'}
      {detail && (
        <Text size="xs" c="dimmed">
          {roleNames[detail] ?? detail}
        </Text>
      )}
    </div>
  )
}

/** 'AdUnit' becomes 'ad unit'. */
const words = (kind: string) => kind.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Shows as much of the hash as tells one address from another. */
function Source({ hash }: { hash: string }) {
  return (
    <Text span size="xs" ff="monospace" title={t('networkAddress')}>
      {hash.slice(0, 8)}
    </Text>
  )
}
