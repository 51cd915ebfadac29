import { Alert, Button, EmptyState, Stack } from '@mantine/core'
import { IconAlertTriangle, IconFlask, IconHourglass } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import type { ApiProblem } from '../../client/problem.ts'
import type { Shop } from '../../client/types.ts'
import { LazyPart } from '../../components/loading/lazy.tsx'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { t } from '../../messages/pages/reports.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { ChartFrame } from './chart/chart-frame.tsx'
import { FilterChips } from './controls/filter-chips.tsx'
import { daysLabel } from './controls/periods.ts'
import { ReportControls } from './controls/report-controls.tsx'
import { Disclosure } from './disclosure.tsx'
import { DownloadMenu } from './download-menu.tsx'
import { MetricCards } from './figures/metric-cards.tsx'
import classes from './report-page.module.css'
import { changedSearch, isWhatIf, type ReportState, toggled } from './report-state.ts'
import { drillInto, salesOf } from './table/drill-down.ts'
import { ReportTable } from './table/report-table.tsx'
import { useReport, useReportDays, useReportShop } from './use-report.ts'
import { useReportState } from './use-report-state.ts'
import { useDefaultView, useViews } from './views/use-views.ts'
import { ViewsMenu } from './views/views-menu.tsx'
import { type Dimension, INVALID_METRICS, type ReportRow } from './vocabulary.ts'

const MODELS_HEIGHT = 170
const INVALID_TRAFFIC_HEIGHT = 560
const loadInvalidTraffic = () => import('./invalid-traffic.tsx')
const loadModels = () => import('./compare-models-panel.tsx')

/** The report. All its settings are in the address, so the address can be shared. */
export default function ReportPage() {
  const { state, change } = useReportState()
  const days = useReportDays(state)
  const saved = useViews()
  const isOpening = useDefaultView(saved)
  const isReady = useIsReady(state) && !isOpening
  const { view, problem, isStale, retry } = useReport(state, days, isReady)
  const [isOpen, setOpen] = useState(isWhatIf(state.whatIf))
  const timeZone = useReportShop(state)?.timeZone
  const addressOf = useAddressOf()
  const linkInto = useLinkInto(state)
  const shown = view?.state ?? state
  return (
    <>
      <PageHeader
        title={t('reports')}
        description={t('daysInZone', { days: daysLabel(days), zone: timeZone ?? t('zoneOfEachShop') })}
        actions={
          <>
            <ViewsMenu views={saved.views} />
            <Button
              variant="default"
              leftSection={<IconFlask size={16} aria-hidden />}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {t('compareModels')}
            </Button>
            <DownloadMenu state={state} days={days} />
          </>
        }
      />
      <Stack gap="md" className={classes.page}>
        <ReportControls state={state} days={days} change={change} />
        {isOpen && <LazyPart load={loadModels} props={{ state, change }} height={MODELS_HEIGHT} />}
        <FilterChips state={state} change={change} />
        {problem && view && (
          <Alert color="orange" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('staleFigures')}>
            {problem.message}{' '}
            <Button variant="default" size="compact-xs" onClick={retry}>
              {t('tryAgain')}
            </Button>
          </Alert>
        )}
        {problem && !view ? (
          <Failed problem={problem} retry={retry} shorten={() => change({ period: '7-days' })} />
        ) : (
          <div className={classes.figures} data-stale={isStale} aria-busy={isStale || !view}>
            <MetricCards state={shown} view={view} onChart={(metric) => change({ charted: toggled(shown, metric) })} />
            <ChartFrame view={view} />
            <Disclosure disclosure={view?.report.disclosure} />
            <ReportTable state={state} view={view} onSort={(sort) => change({ sort })} linkInto={linkInto} />
          </div>
        )}
        <LazyPart
          load={loadInvalidTraffic}
          height={INVALID_TRAFFIC_HEIGHT}
          props={{
            ...{ state, days, isReady },
            byDay: addressOf({ groupBy: ['day'], metrics: INVALID_METRICS, charted: ['invalid'] }),
          }}
        />
      </Stack>
    </>
  )
}

/** A retry of a report that took too long would take too long again, so the page offers a shorter period. */
function Failed({ problem, retry, shorten }: { problem: ApiProblem; retry: () => void; shorten: () => void }) {
  if (problem.code !== 'REPORT_TOO_SLOW') return <ErrorState problem={problem} retry={retry} />
  return (
    <EmptyState
      role="alert"
      py="xl"
      size="sm"
      icon={<IconHourglass />}
      title={t('tooSlow')}
      description={t('tooSlowHelp')}
    >
      <EmptyState.Actions>
        <Button variant="default" size="xs" onClick={shorten}>
          {t('last7Days')}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}

/** False until the report's shop is known, so that no report is requested before. */
function useIsReady(state: ReportState): boolean {
  const { role } = useSession().user
  const { shops } = useShop()
  if (state.shopId !== undefined) return true
  return shops !== undefined && (role === 'ADVERTISER' || shops.length < 2)
}

/** Addresses of this report with changes made to it. */
function useAddressOf(): (changes: Partial<ReportState>) => string {
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  return (changes) => `${pathname}?${changedSearch(search, changes)}`
}

/** Drills down from a display campaign to its banners, from other campaigns to their products, and from purchased products to their sales. */
function useLinkInto(state: ReportState): (row: ReportRow, dimension: Dimension) => string | null {
  const addressOf = useAddressOf()
  const { items } = useList('/v1/panel/campaigns', { query: { kind: 'DISPLAY' }, pageSize: PAGE_SIZE_MAX })
  const display = new Set(items?.map(({ id }) => id))
  const shopOfSales = useShopOfSales(state)
  return (row, dimension) => {
    if (dimension === 'purchasedProduct') return shopOfSales ? salesOf(state, row, shopOfSales.id) : null
    const changes = drillInto(state, row, dimension, (id) => display.has(id))
    return changes && addressOf(changes)
  }
}

/** The shop of the report, if Sales can list its sales: to others than advertisers it lists those of the shop in the header. */
function useShopOfSales(state: ReportState): Shop | undefined {
  const { role } = useSession().user
  const { shop } = useShop()
  const ofReport = useReportShop(state)
  return role === 'ADVERTISER' || ofReport?.id === shop?.id ? ofReport : undefined
}
