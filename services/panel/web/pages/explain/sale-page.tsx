import { EmptyState, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { DetailList } from '../../components/page/detail-list.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { CopyField } from '../../components/values/copy-field.tsx'
import { Money } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { useShop } from '../../session/shop-context.tsx'
import { SaleLine } from './sale-line.tsx'
import { SaleReturns } from './sale-returns.tsx'
import { SaleVersions } from './sale-versions.tsx'
import { type ExplainedTransaction, kindLabel, proofLabel } from './words.ts'

const REFRESH_MS = 3_000

/** Explains the credit of a sale: for each line, the touch that won and why the others did not. */
export default function SalePage() {
  const { shopId = '', eventId = '' } = useParams()
  const { data, problem, retry } = useEntity('/v1/panel/explain/attribution/{eventId}', {
    path: { eventId },
    query: { shopId },
    refreshMs: REFRESH_MS,
  })
  return (
    <>
      <PageHeader title="Why this credit" breadcrumbs={[{ label: 'Sales', to: '/sales' }]} />
      {problem && !data && <Missing problem={problem} retry={retry} />}
      {!problem && !data && <Loading />}
      <Stack gap="lg">
        {data?.transactions.map((transaction) => (
          <Explained key={transaction.kind} eventId={eventId} transaction={transaction} />
        ))}
      </Stack>
    </>
  )
}

function Explained({ eventId, transaction }: { eventId: string; transaction: ExplainedTransaction }) {
  const { shopId, kind, occurredAt, currency, clientId, userId, windows, lines, versions = [] } = transaction
  const shop = useShop().shops?.find(({ id }) => id === shopId)
  const credited = lines.filter(({ credit }) => credit !== null)
  const returned = lines.reduce((total, { returnedAmount }) => total + returnedAmount, 0)
  const sum = (of: typeof lines) => of.reduce((total, { price }) => total + price, 0)
  return (
    <>
      <PanelCard title={kindLabel(kind)}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xs">
          <DetailList
            details={{
              When: <DateTime at={occurredAt} timeZone={shop?.timeZone} />,
              Shop: shop?.name ?? shopId,
              Number: <CopyField value={eventId} label="Number" />,
              Person: userId ? `${clientId}, signed in as ${userId}` : clientId,
              Sender: proofLabel(transaction.proof) + (transaction.unconfirmed ? ', not confirmed yet' : ''),
            }}
          />
          <DetailList
            details={{
              Amount: <Money amount={sum(lines)} currency={currency} />,
              Credited: <Money amount={sum(credited)} currency={currency} />,
              ...(returned > 0 && { Returned: <Money amount={returned} currency={currency} /> }),
              Windows:
                windows && `${windows.clickWindowHours} h after a click, ${windows.viewWindowHours} h after a view`,
            }}
          />
        </SimpleGrid>
      </PanelCard>
      {lines.map((line) => (
        <SaleLine key={line.line} line={line} sale={transaction} timeZone={shop?.timeZone} />
      ))}
      {kind === 'PURCHASE' && transaction.returns && !transaction.imported && (
        <SaleReturns eventId={eventId} sale={transaction} timeZone={shop?.timeZone} />
      )}
      {versions.length > 1 && <SaleVersions versions={versions} timeZone={shop?.timeZone} />}
    </>
  )
}

function Missing({ problem, retry }: { problem: Error & { status?: number }; retry: () => void }) {
  if (problem.status !== 404) return <ErrorState problem={problem} retry={retry} />
  return (
    <EmptyState
      py="xl"
      icon={<IconHourglass />}
      title="Not here, or not yet"
      description="There is no such sale among those that you may see. What happened in the last seconds appears here by itself."
    />
  )
}

/** As tall as a sale with one line. */
const Loading = () => (
  <Stack gap="lg">
    <Skeleton height={178} />
    <Skeleton height={300} />
  </Stack>
)
