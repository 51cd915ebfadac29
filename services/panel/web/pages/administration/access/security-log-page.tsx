import { Select, Text } from '@mantine/core'
import { useState } from 'react'
import type { Item } from '../../../client/types.ts'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import { useList } from '../../../data/use-list.ts'
import { useSession } from '../../../session/session.ts'

/** The security log: of the whole installation for operators, of their account for others. */
export default function SecurityLogPage() {
  const { account } = useSession()
  return (
    <>
      <PageHeader
        title="Security log"
        description={`Sign-ins, tokens, users and deletions${account ? ` of ${account.name}` : ''}, the latest first.`}
      />
      <SecurityEvents />
    </>
  )
}

type SecurityEvent = Item<'/v1/panel/security-log'>
type Kind = SecurityEvent['kind']

const names: Readonly<Record<Kind, string>> = {
  SIGNED_IN: 'Signed in',
  SIGN_IN_FAILED: 'Sign-in failed',
  SIGN_IN_LIMITED: 'Too many sign-in attempts',
  SIGNED_OUT: 'Signed out',
  SIGNED_OUT_EVERYWHERE: 'Signed out everywhere',
  REAUTHENTICATED: 'Identity confirmed',
  REAUTHENTICATION_FAILED: 'Identity not confirmed',
  TOKEN_CREATED: 'Token created',
  TOKEN_FIRST_USED: 'Token used for the first time',
  TOKEN_REVOKED: 'Token revoked',
  SIGNING_KEY_CREATED: 'Signing key created',
  USER_CREATED: 'User created',
  USER_RENAMED: 'User renamed',
  USER_DISABLED: 'User disabled',
  USER_ENABLED: 'User enabled',
  PASSWORD_CHANGED: 'Password changed',
  PASSWORD_LINK_CREATED: 'Password link created',
  PASSWORD_LINK_USED: 'Password link used',
  SECOND_FACTOR_ENABLED: 'Two-step sign-in turned on',
  SECOND_FACTOR_REMOVED: 'Two-step sign-in turned off',
  RECOVERY_CODES_CREATED: 'Recovery codes created',
  RECOVERY_CODE_USED: 'Recovery code used',
  DELETED: 'Deleted',
}
const choices = Object.entries(names).map(([value, label]) => ({ value, label }))

const columns: Column<SecurityEvent>[] = [
  { title: 'When', cell: ({ occurredAt }) => <DateTime at={occurredAt} /> },
  { title: 'What', cell: ({ kind }) => names[kind] },
  { title: 'Who', cell: ({ actor }) => actorName(actor) },
  { title: 'Of', cell: (event) => <Subject event={event} /> },
  { title: 'From', cell: ({ source }) => (source === null ? '–' : <Source hash={source} />) },
]

function SecurityEvents() {
  const [kind, setKind] = useState<Kind | null>(null)
  const list = useList('/v1/panel/security-log', { query: kind ? { kind } : {} })
  return (
    <DataTable
      label="Security events"
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      filters={
        <Select
          aria-label="What happened"
          placeholder="Everything"
          clearable
          searchable
          data={choices}
          value={kind}
          onChange={(value) => setKind(value as Kind | null)}
        />
      }
      empty={{ title: 'No events', description: 'Sign-ins and changes show here within seconds.' }}
    />
  )
}

function actorName({ kind, name }: SecurityEvent['actor']): string {
  switch (kind) {
    case 'NOBODY':
      return 'Unknown'
    case 'BOOTSTRAP':
      return 'Bootstrap token'
    case 'TOKEN':
      return `Token ${name ?? 'of another account'}`
    case 'USER':
      return name ?? 'The operator'
  }
}

function Subject({ event: { subject, detail } }: { event: SecurityEvent }) {
  return (
    <>
      {subject ? `${words(subject.kind)} ${subject.name ?? ''}` : '–'}
      {detail && (
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      )}
    </>
  )
}

/** 'AdUnit' becomes 'ad unit'. */
const words = (kind: string) => kind.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Enough of the hash to tell one address from another. */
function Source({ hash }: { hash: string }) {
  return (
    <Text span size="xs" ff="monospace" title="Stands for one network address">
      {hash.slice(0, 8)}
    </Text>
  )
}
