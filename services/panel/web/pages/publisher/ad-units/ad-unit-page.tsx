import { Skeleton, Tabs } from '@mantine/core'
import { IconChartBar, IconCode, IconPlayerPlay, IconSettings } from '@tabler/icons-react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { AdFormat, AdUnit } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/ad-units.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { TryIt } from '../try-it/try-it.tsx'
import { CodeTab } from '../unit-code/code-tab.tsx'
import { AdUnitForm, type AdUnitValues, useAdUnitForm } from './ad-unit-form.tsx'
import { algorithms, isDisplay } from './algorithms.ts'
import { UnitFigures } from './unit-figures.tsx'

const FIRST_TAB = 'try'

/** One ad unit: a trial request, the code for a page, and its settings. */
export default function AdUnitPage() {
  const { id = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const tab = search.get('tab') ?? FIRST_TAB
  const { data: unit, problem, retry } = useEntity('/v1/panel/ad-units/{id}', { path: { id } })
  const formats = useList('/v1/panel/ad-formats', {
    query: { shopId: unit?.shopId },
    pageSize: PAGE_SIZE_MAX,
    enabled: unit !== undefined && isDisplay(unit.algorithm),
  })
  const shop = useShop().shops?.find((each) => each.id === unit?.shopId)
  return (
    <>
      <PageHeader
        title={unit?.name ?? 'Ad unit'}
        badge={unit && <StatusBadge status={unit.status} />}
        description={unit && algorithms[unit.algorithm].label}
        breadcrumbs={[{ label: 'Placements', to: '/placements' }]}
        actions={<CopyField value={id} label="slotHash" />}
      />
      {problem && !unit && <ErrorState problem={problem} retry={retry} />}
      {!problem && !unit && <Skeleton height={600} />}
      {unit && (
        <Tabs
          key={unit.id}
          value={tab}
          onChange={(value) => setSearch({ tab: value ?? FIRST_TAB }, { replace: true })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="try" leftSection={<IconPlayerPlay size={16} aria-hidden />}>
              {t('tryIt')}
            </Tabs.Tab>
            <Tabs.Tab value="code" leftSection={<IconCode size={16} aria-hidden />}>
              {t('code')}
            </Tabs.Tab>
            <Tabs.Tab value="figures" leftSection={<IconChartBar size={16} aria-hidden />}>
              {t('figures')}
            </Tabs.Tab>
            <Tabs.Tab value="settings" leftSection={<IconSettings size={16} aria-hidden />}>
              {t('settings')}
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="try">
            <TryIt unit={unit} formats={formats.items ?? []} />
          </Tabs.Panel>
          <Tabs.Panel value="code">
            <CodeTab unit={unit} shop={shop} />
          </Tabs.Panel>
          <Tabs.Panel value="figures">
            <UnitFigures unit={unit} shop={shop} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <UnitSettings key={unit.version} unit={unit} formats={formats.items ?? []} />
          </Tabs.Panel>
        </Tabs>
      )}
    </>
  )
}

function UnitSettings({ unit, formats }: { unit: AdUnit; formats: readonly AdFormat[] }) {
  const navigate = useNavigate()
  const kind = isDisplay(unit.algorithm) ? 'DISPLAY' : 'PRODUCT'
  const form = useAdUnitForm(kind, unit)
  const params = { path: { id: unit.id } }
  const { submit, isSaving } = useSave({
    save: (body: AdUnitValues) => answer(client.PATCH('/v1/panel/ad-units/{id}', { params, body })),
    changes: ['/v1/panel/ad-units'],
    form,
    saved: 'Ad unit saved',
  })
  const removal = useSave({
    save: () => answer(client.DELETE('/v1/panel/ad-units/{id}', { params })),
    changes: ['/v1/panel/ad-units'],
    form,
    saved: 'Ad unit deleted',
    onSaved: () => navigate('/placements'),
  })
  return (
    <AdUnitForm
      form={form}
      kind={kind}
      formats={formats}
      label="Save"
      isSaving={isSaving}
      onSubmit={(values) => void submit(values)}
    >
      <DeleteButton
        what="ad unit"
        name={unit.name}
        message="Pages that still ask for it get an error for it. Its technical units must be deleted before. Reports go on to name it."
        onConfirm={() => removal.submit(undefined)}
      />
    </AdUnitForm>
  )
}
