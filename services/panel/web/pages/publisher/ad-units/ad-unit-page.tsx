import { Skeleton, Tabs } from '@mantine/core'
import { IconChartBar, IconCode, IconPlayerPlay, IconSettings } from '@tabler/icons-react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { answer, client, ifMatch } from '../../../client/client.ts'
import type { AdFormat, AdUnit } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { ErrorState } from '../../../components/page/error-state.tsx'
import { PageHeader } from '../../../components/page/page-header.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { useChange } from '../../../data/changes/use-change.ts'
import { useEntity } from '../../../data/use-entity.ts'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/ad-units.ts'
import { t as words } from '../../../messages/pages/shop/algorithms.ts'
import { t as placements } from '../../../messages/pages/shop/placements.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { AdUnitForm, useAdUnitForm, valuesOf } from './ad-unit-form.tsx'
import { isDisplay } from './algorithms.ts'
import { UnitFigures } from './unit-figures.tsx'

const loadCode = async () => ({ default: (await import('../unit-code/code-tab.tsx')).CodeTab })
const loadTryIt = async () => ({ default: (await import('../try-it/try-it-tab.tsx')).TryIt })
const TAB_HEIGHT = 600

const FIRST_TAB = 'settings'

/** One ad unit: its settings, the code for a page, its figures, and a trial request. */
export default function AdUnitPage() {
  const { id = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const tab = search.get('tab') ?? FIRST_TAB
  const { data: unit, ...state } = useEntity('/v1/panel/ad-units/{id}', { path: { id } })
  const formats = useList('/v1/panel/ad-formats', {
    query: { shopId: unit?.shopId },
    pageSize: PAGE_SIZE_MAX,
    enabled: unit !== undefined && isDisplay(unit.algorithm),
  })
  const isReady = unit && (!isDisplay(unit.algorithm) || formats.items !== undefined)
  const { problem, retry } = unit ? formats : state
  const shop = useShop().shops?.find((each) => each.id === unit?.shopId)
  return (
    <>
      <PageHeader
        title={unit?.name ?? placements('adUnit')}
        badge={unit && <StatusBadge status={unit.status} />}
        description={unit && words(unit.algorithm)}
        breadcrumbs={[{ label: placements('placements'), to: '/placements' }]}
        actions={<CopyField value={id} label={placements('adUnitId')} />}
      />
      {problem && !isReady && <ErrorState problem={problem} retry={retry} />}
      {!problem && !isReady && <Skeleton height={600} />}
      {isReady && (
        <Tabs
          key={unit.id}
          value={tab}
          onChange={(value) => setSearch({ tab: value ?? FIRST_TAB }, { replace: true })}
          keepMounted={false}
          // Four of them fit on a phone.
          styles={{ tab: { paddingInline: 8 } }}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="settings" leftSection={<IconSettings size={16} aria-hidden />}>
              {t('settings')}
            </Tabs.Tab>
            <Tabs.Tab value="code" leftSection={<IconCode size={16} aria-hidden />}>
              {t('code')}
            </Tabs.Tab>
            <Tabs.Tab value="figures" leftSection={<IconChartBar size={16} aria-hidden />}>
              {t('figures')}
            </Tabs.Tab>
            <Tabs.Tab value="try" leftSection={<IconPlayerPlay size={16} aria-hidden />}>
              {t('tryIt')}
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="settings">
            <UnitSettings unit={unit} formats={formats.items ?? []} />
          </Tabs.Panel>
          <Tabs.Panel value="code">
            <LazyPart load={loadCode} props={{ unit, shop }} height={TAB_HEIGHT} />
          </Tabs.Panel>
          <Tabs.Panel value="figures">
            <UnitFigures unit={unit} shop={shop} />
          </Tabs.Panel>
          <Tabs.Panel value="try">
            <LazyPart load={loadTryIt} props={{ unit, formats: formats.items ?? [] }} height={TAB_HEIGHT} />
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
  const change = useChange({
    form,
    path: '/v1/panel/ad-units/{id}',
    entity: unit,
    valuesOf,
    send: ({ changed, header }) =>
      answer(client.PATCH('/v1/panel/ad-units/{id}', { params: { ...params, header }, body: changed })),
    changes: ['/v1/panel/ad-units'],
    saved: placements('unitSaved'),
  })
  const removal = useSave({
    save: () =>
      answer(client.DELETE('/v1/panel/ad-units/{id}', { params: { ...params, header: ifMatch(unit.version) } })),
    changes: ['/v1/panel/ad-units'],
    form,
    saved: placements('unitDeleted'),
    onSaved: () => navigate('/placements'),
  })
  return (
    <AdUnitForm
      form={form}
      kind={kind}
      formats={formats}
      label={placements('save')}
      isSaving={change.isSaving}
      clashes={change}
      onSubmit={() => void change.submit()}
    >
      <DeleteButton
        what={placements('unit')}
        name={unit.name}
        message={placements('deleteUnitHelp')}
        onConfirm={() => removal.submit(undefined)}
        path="/v1/panel/ad-units/{id}/deletion"
        id={unit.id}
        shopId={unit.shopId}
      />
    </AdUnitForm>
  )
}
