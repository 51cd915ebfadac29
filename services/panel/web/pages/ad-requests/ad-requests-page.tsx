import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import { ID_CHARS_MAX } from '../../../../../schemas/http/panel/limits.ts'
import { PageHeader } from '../../components/page/page-header.tsx'
import { t } from '../../messages/pages/ad-requests.ts'
import { useSession } from '../../session/session.ts'
import { RequestList } from './request-list.tsx'

const pathOf = (requestId: string) => `/ad-requests/${encodeURIComponent(requestId)}`

/** The latest ad requests, and a field that opens any by its id. */
export default function AdRequestsPage() {
  const { role } = useSession().user
  const [query] = useSearchParams()
  // Such an address named a request before requests had their own, and is still in bookmarks and messages.
  const requestId = query.get('requestId')
  if (requestId) return <Navigate to={pathOf(requestId)} replace />
  return (
    <>
      <PageHeader title={t('adRequests')} description={role === 'ADVERTISER' ? t('aboutAdvertiser') : t('about')} />
      <Stack gap="lg">
        <RequestList />
        <LookUp />
      </Stack>
    </>
  )
}

function LookUp() {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== '') void navigate(pathOf(typed.trim()))
  }
  return (
    <search>
      <form onSubmit={send}>
        <Group gap="sm" align="center">
          <TextInput
            label={t('requestId')}
            description={t('requestIdHelp')}
            inputWrapperOrder={['label', 'input', 'description']}
            w={{ base: '100%', xs: 380 }}
            maxLength={ID_CHARS_MAX}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            spellCheck={false}
            autoComplete="off"
          />
          <Button type="submit" leftSection={<IconSearch size={16} aria-hidden />}>
            {t('lookUp')}
          </Button>
        </Group>
      </form>
    </search>
  )
}
