import { Button, EmptyState, Group, Paper, SimpleGrid, Skeleton, Stack, TextInput } from '@mantine/core'
import { IconListSearch, IconSearch } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { ApiProblem } from '../../client/problem.ts'
import { DetailList } from '../../components/page/detail-list.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { useShop } from '../../session/shop-context.tsx'
import { EmissionSlot } from './emission-slot.tsx'

const ID_CHARS_MAX = 256

/** Explains an ad request: what was shown at which price, and what was dropped. */
export default function AdRequestPage() {
  const [search, setSearch] = useSearchParams()
  const requestId = search.get('requestId') ?? ''
  return (
    <>
      <PageHeader title="Ad requests" description="Why these ads, at these prices, and why not others." />
      <Stack gap="lg">
        {/* A changed address resets the form. */}
        <LookUp
          key={requestId}
          requestId={requestId}
          onLookUp={(id) => setSearch(id === '' ? {} : { requestId: id })}
        />
        {requestId === '' ? (
          <Paper withBorder bg="var(--panel-surface)" style={{ borderColor: 'var(--panel-border)' }}>
            <EmptyState
              py="xl"
              size="sm"
              icon={<IconListSearch />}
              title="Look up a request by its id"
              description="Every answer with ads carries a requestId. A developer of the shop finds it in the answer, and in the events that follow."
            />
          </Paper>
        ) : (
          <Explained requestId={requestId} />
        )}
      </Stack>
    </>
  )
}

function LookUp({ requestId, onLookUp }: { requestId: string; onLookUp: (requestId: string) => void }) {
  const [typed, setTyped] = useState(requestId)
  const send = (event: FormEvent) => {
    event.preventDefault()
    onLookUp(typed.trim())
  }
  return (
    <search>
      <form onSubmit={send}>
        <Group gap="sm" align="end">
          <TextInput
            label="requestId"
            w={{ base: '100%', xs: 380 }}
            maxLength={ID_CHARS_MAX}
            value={typed}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            spellCheck={false}
            autoComplete="off"
          />
          <Button type="submit" leftSection={<IconSearch size={16} aria-hidden />}>
            Look up
          </Button>
        </Group>
      </form>
    </search>
  )
}

function Explained({ requestId }: { requestId: string }) {
  const { data, problem, retry } = useEntity('/v1/panel/explain/emission/{requestId}', { path: { requestId } })
  const { shops } = useShop()
  if (problem && !data) return <Missing problem={problem} retry={retry} />
  if (!data) return <Loading />
  const shop = shops?.find(({ id }) => id === data.shopId)
  return (
    <>
      <PanelCard title="The request">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xs">
          <DetailList
            details={{
              When: <DateTime at={data.occurredAt} timeZone={shop?.timeZone} />,
              Shop: data.shopName,
              Kind: data.kind === 'DISPLAY' ? 'Banners' : 'Sponsored products',
            }}
          />
          <DetailList
            details={{
              Person: data.userId ? `${data.clientId}, signed in as ${data.userId}` : data.clientId,
              Country: data.country,
              'Time to choose': `${data.elapsedMs.toFixed(1)} ms`,
            }}
          />
        </SimpleGrid>
      </PanelCard>
      {data.slots.map((slot) => (
        <EmissionSlot key={slot.slotHash} slot={slot} kind={data.kind} shopId={data.shopId} currency={shop?.currency} />
      ))}
    </>
  )
}

function Missing({ problem, retry }: { problem: ApiProblem; retry: () => void }) {
  if (problem.status !== 404) return <ErrorState problem={problem} retry={retry} />
  return (
    <EmptyState py="xl" icon={<IconListSearch />} title="No such request" description={problem.message}>
      <EmptyState.Actions>
        <Button variant="default" size="xs" onClick={retry}>
          Look again
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}

const Loading = () => (
  <>
    <Skeleton height={150} />
    <Skeleton height={320} />
  </>
)
