import { EmptyState, Group, Loader, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { IconReceiptOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { DetailList } from '../../components/page/detail-list.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { MissingState } from '../../components/page/missing-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { CopyField } from '../../components/values/copy-field.tsx'
import { Money } from '../../components/values/money.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { t } from '../../messages/pages/sales.ts'
import { useShop } from '../../session/shop-context.tsx'
import { SaleLine } from './sale-line.tsx'
import { SaleReturns } from './sale-returns.tsx'
import { SaleVersions } from './sale-versions.tsx'
import { type ExplainedTransaction, kindLabel, proofLabel } from './sale-words.ts'

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
      <PageHeader title={t('whyThisCredit')} breadcrumbs={[{ label: t('sales'), to: '/sales' }]} />
      {problem && !data && <Missing problem={problem} retry={retry} />}
      {!problem && !data && <Loading />}
      <Stack gap="lg">
        {data?.transactions.map((transaction) => (
          <Explained key={transaction.kind} eventId={data.eventId} transaction={transaction} />
        ))}
      </Stack>
    </>
  )
}

function Explained({ eventId, transaction }: { eventId: string; transaction: ExplainedTransaction }) {
  const { shopId, kind, occurredAt, currency, clientId, userId, windows, lines } = transaction
  const { pseudonyms = [], versions = [] } = transaction
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
              [t('when')]: <DateTime at={occurredAt} timeZone={shop?.timeZone} />,
              [t('shop')]: shop?.name ?? shopId,
              [t('order')]: <CopyField value={eventId} label={t('order')} />,
              [t('person')]: userId
                ? t('signedInAs', { browser: clientId, user: userId })
                : clientId || t('noLongerKnown'),
              [t('sender')]: transaction.unconfirmed
                ? t('senderNotConfirmed', { sender: proofLabel(transaction.proof) })
                : proofLabel(transaction.proof),
              ...(pseudonyms.length > 0 && { [t('pseudonyms')]: <PseudonymList pseudonyms={pseudonyms} /> }),
            }}
          />
          <DetailList
            details={{
              [t('amount')]: <Money amount={sum(lines)} currency={currency} />,
              [t('credited')]: <Money amount={sum(credited)} currency={currency} />,
              ...(returned > 0 && { [t('returned')]: <Money amount={returned} currency={currency} /> }),
              [t('windows')]:
                windows && t('windowHours', { click: windows.clickWindowHours, view: windows.viewWindowHours }),
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

/** Under which number each credited advertiser sees the order. */
const PseudonymList = ({ pseudonyms }: { pseudonyms: NonNullable<ExplainedTransaction['pseudonyms']> }) => (
  <Stack gap={4}>
    {pseudonyms.map(({ accountId, accountName, eventId }) => (
      <Group key={accountId} gap="xs">
        {accountName ?? accountId}
        <CopyField value={eventId} label={t('order')} />
      </Group>
    ))}
  </Stack>
)

/** For this long, a missing sale may still be one that was sent just now. */
const PROCESSING_MS = 30_000

/** Shown while the sale is missing. A sale is stored and attributed seconds after it was sent, so the page keeps asking. */
function Missing({ problem, retry }: { problem: Error & { status?: number }; retry: () => void }) {
  const [isLate, setLate] = useState(false)
  useTimeout(() => setLate(true), PROCESSING_MS, { autoInvoke: true })
  if (problem.status !== 404) return <ErrorState problem={problem} retry={retry} />
  if (!isLate) {
    return (
      <EmptyState
        py="xl"
        role="status"
        icon={<Loader size="sm" aria-hidden />}
        title={t('processing')}
        description={t('processingHelp')}
      />
    )
  }
  return <MissingState Sign={IconReceiptOff} title={t('noSuchSale')} description={t('noSuchSaleHelp')} retry={retry} />
}

/** Has the height of a sale with one line. */
const Loading = () => (
  <Stack gap="lg">
    <Skeleton height={178} />
    <Skeleton height={300} />
  </Stack>
)
