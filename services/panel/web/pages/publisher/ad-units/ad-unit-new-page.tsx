import { Skeleton } from '@mantine/core'
import { useNavigate, useSearchParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { AdFormat, Placement } from '../../../client/types.ts'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { AdUnitForm, type AdUnitValues, useAdUnitForm } from './ad-unit-form.tsx'

/** A new ad unit in the placement that the address names: `?placement=…`. */
export default function AdUnitNewPage() {
  const [search] = useSearchParams()
  const id = search.get('placement') ?? ''
  const { data: placement, problem, retry } = useEntity('/v1/panel/placements/{id}', { path: { id } })
  const formats = useList('/v1/panel/ad-formats', {
    query: { shopId: placement?.shopId },
    pageSize: PAGE_SIZE_MAX,
    enabled: placement !== undefined,
  })
  return (
    <>
      <PageHeader
        title="New ad unit"
        description={placement && `In the placement ${placement.name}`}
        breadcrumbs={[{ label: 'Placements', to: '/placements' }]}
      />
      {problem && !placement && <ErrorState problem={problem} retry={retry} />}
      {!problem && !placement && <Skeleton height={560} />}
      {placement && <NewUnit key={placement.id} placement={placement} formats={formats.items ?? []} />}
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
    saved: 'Ad unit created',
    onSaved: (unit) => navigate(`/ad-units/${unit.id}`),
  })
  return (
    <AdUnitForm
      form={form}
      kind={kind}
      formats={formats}
      label="Create ad unit"
      cancelTo="/placements"
      isSaving={isSaving}
      onSubmit={(values) => void submit(values)}
    />
  )
}
