import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { IconListSearch } from '@tabler/icons-react'
import { useParams } from 'react-router'
import type { ApiProblem } from '../../client/problem.ts'
import { DetailList } from '../../components/page/detail-list.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { MissingState } from '../../components/page/missing-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { CopyField } from '../../components/values/copy-field.tsx'
import { DateTime } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { t } from '../../messages/pages/ad-requests.ts'
import { useShop } from '../../session/shop-context.tsx'
import { EmissionSlot } from './emission-slot.tsx'

/** One ad request: what was shown at which price, and what was dropped. */
export default function AdRequestPage() {
  const { requestId = '' } = useParams()
  return (
    <>
      <PageHeader title={t('request')} breadcrumbs={[{ label: t('adRequests'), to: '/ad-requests' }]} />
      <Stack gap="lg">
        <Explained requestId={requestId} />
      </Stack>
    </>
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
      <PanelCard title={t('theRequest')}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xs">
          <DetailList
            details={{
              [t('when')]: <DateTime at={data.occurredAt} timeZone={shop?.timeZone} />,
              [t('shop')]: data.shopName,
              [t('kind')]: data.kind === 'DISPLAY' ? t('DISPLAY') : t('SPONSORED'),
            }}
          />
          <DetailList
            details={{
              [t('person')]: data.userId
                ? t('signedInAs', { person: data.clientId, user: data.userId })
                : data.clientId || t('noLongerKnown'),
              [t('country')]: data.country,
              [t('timeToChoose')]: t('milliseconds', { ms: data.elapsedMs.toFixed(1) }),
              [t('requestId')]: <CopyField value={requestId} label={t('requestId')} />,
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
  return <MissingState Sign={IconListSearch} title={t('notFound')} description={problem.message} retry={retry} />
}

const Loading = () => (
  <>
    <Skeleton height={150} />
    <Skeleton height={320} />
  </>
)
