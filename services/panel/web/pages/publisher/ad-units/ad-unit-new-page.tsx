import { Skeleton } from '@mantine/core'
import { useNavigate, useSearchParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { AdFormat, Placement } from '../../../client/types.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/placements.ts'
import { AdUnitForm, type AdUnitValues, useAdUnitForm } from './ad-unit-form.tsx'

/** A new ad unit in the placement that the address names: `?placement=…`. */
export default function AdUnitNewPage() {
  const [search] = useSearchParams()
  const id = search.get('placement') ?? ''
  const { data: placement, ...state } = useEntity('/v1/panel/placements/{id}', { path: { id } })
  const formats = useList('/v1/panel/ad-formats', {
    query: { shopId: placement?.shopId },
    pageSize: PAGE_SIZE_MAX,
    enabled: placement?.kind === 'DISPLAY',
  })
  const isReady = placement && (placement.kind === 'PRODUCT' || formats.items !== undefined)
  const { problem, retry } = placement ? formats : state
  return (
    <>
      <PageHeader
        title={t('newUnit')}
        description={placement && t('inPlacement', { name: placement.name })}
        breadcrumbs={[{ label: t('placements'), to: '/placements' }]}
      />
      {problem && !isReady && <ErrorState problem={problem} retry={retry} />}
      {!problem && !isReady && <Skeleton height={560} />}
      {isReady && <NewUnit key={placement.id} placement={placement} formats={formats.items ?? []} />}
    </>
  )
}

function NewUnit({ placement: { id, kind }, formats }: { placement: Placement; formats: readonly AdFormat[] }) {
  const navigate = useNavigate()
  const form = useAdUnitForm(kind)
  const { submit, isSaving } = useSave({
    save: (values: AdUnitValues) => answer(client.POST('/v1/panel/ad-units', { body: { placementId: id, ...values } })),
    changes: ['/v1/panel/ad-units'],
    form,
    saved: t('unitCreated'),
    onSaved: (unit) => navigate(`/ad-units/${unit.id}?tab=code`),
  })
  return (
    <AdUnitForm
      form={form}
      kind={kind}
      formats={formats}
      label={t('createUnit')}
      cancelTo="/placements"
      isSaving={isSaving}
      onSubmit={(values) => void submit(values)}
    />
  )
}
