import { Select, Text } from '@mantine/core'
import { useState } from 'react'
import type { Item } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useAddressValue } from '../../../data/use-address-value.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
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

const USERS_SHOWN_MAX = 100

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
  const [userId, setUserId] = useAddressValue('userId')
  const [wasOpened, setOpened] = useState(false)
  // The users are read when they are to be chosen from, or the chosen one is to be named.
  const { items: users = [] } = useList('/v1/panel/users', {
    pageSize: PAGE_SIZE_MAX,
    enabled: wasOpened || userId !== null,
  })
  const query = { ...(kind && { kind }), ...(userId && { userId }) }
  const list = useList('/v1/panel/security-log', { query })
  return (
    <DataTable
      label={t('securityEvents')}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      filters={
        <>
          <Select
            aria-label={t('whatHappened')}
            placeholder={t('everything')}
            clearable
            searchable
            data={choices}
            value={kind}
            onChange={(value) => setKind(value as Kind | null)}
          />
          <Select
            aria-label={t('ofWhom')}
            placeholder={t('everybody')}
            clearable
            searchable
            limit={USERS_SHOWN_MAX}
            w={{ base: '100%', xs: 300 }}
            data={users.map(({ id, name, email }) => ({ value: id, label: `${name} · ${email}` }))}
            value={userId}
            onChange={setUserId}
            onDropdownOpen={() => setOpened(true)}
          />
        </>
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

/** The detail of a new user is the role, that of a password link its purpose. Others are ids. */
const detailNames: Readonly<Record<string, string>> = {
  ...kindNames,
  INVITATION: t('invitation'),
  RESET: t('resetLink'),
}

function Subject({ event: { subject, detail } }: { event: SecurityEvent }) {
  return (
    <div>
      {subject ? `${words(subject.kind)} ${subject.name ?? ''}` : '–'}
      {detail && (
        <Text size="xs" c="dimmed">
          {detailNames[detail] ?? detail}
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
