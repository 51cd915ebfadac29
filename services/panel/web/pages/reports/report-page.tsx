import { Alert, Button, Stack } from '@mantine/core'
import { IconAlertTriangle, IconFlask } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PageHeader } from '../../components/page/page-header.tsx'
import { PAGE_SIZE_MAX, useList } from '../../data/use-list.ts'
import { useSession } from '../../session/session.ts'
import { useShop } from '../../session/shop-context.tsx'
import { ChartFrame } from './chart/chart-frame.tsx'
import { FilterChips } from './controls/filter-chips.tsx'
import { daysLabel } from './controls/periods.ts'
import { ReportControls } from './controls/report-controls.tsx'
import { DownloadButton } from './download-button.tsx'
import { MetricCards } from './figures/metric-cards.tsx'
import { INVALID_METRICS, InvalidTraffic } from './invalid-traffic.tsx'
import classes from './report-page.module.css'
import { changedSearch, isWhatIf, type ReportState } from './report-state.ts'
import { drillInto } from './table/drill-down.ts'
import { ReportTable } from './table/report-table.tsx'
import { useReport, useReportDays, useReportShop } from './use-report.ts'
import { useReportState } from './use-report-state.ts'
import type { Dimension, ReportRow } from './vocabulary.ts'
import { WhatIfPanel } from './what-if-panel.tsx'

/** The report. All its settings are in the address, so the address can be shared. */
export default function ReportPage() {
  const { state, change } = useReportState()
  const days = useReportDays(state)
  const isReady = useIsReady(state)
  const { view, problem, isStale, retry } = useReport(state, days, isReady)
  const [isOpen, setOpen] = useState(isWhatIf(state.whatIf))
  const timeZone = useReportShop(state)?.timeZone
  const addressOf = useAddressOf()
  const linkInto = useLinkInto(state)
  return (
    <>
      <PageHeader
        title="Reports"
        description={`${daysLabel(days)}, by the clock of ${timeZone ? `the shop (${timeZone})` : 'each shop'}`}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconFlask size={16} aria-hidden />}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              What if
            </Button>
            <DownloadButton state={state} days={days} />
          </>
        }
      />
      <Stack gap="md" className={classes.page}>
        <ReportControls state={state} days={days} change={change} />
        {isOpen && <WhatIfPanel state={state} change={change} />}
        <FilterChips state={state} change={change} />
        {problem && view && (
          <Alert
            color="orange"
            icon={<IconAlertTriangle size={18} aria-hidden />}
            title="These figures are not the latest"
          >
            {problem.message}{' '}
            <Button variant="default" size="compact-xs" onClick={retry}>
              Try again
            </Button>
          </Alert>
        )}
        {problem && !view ? (
          <ErrorState problem={problem} retry={retry} />
        ) : (
          <div className={classes.figures} data-stale={isStale} aria-busy={isStale || !view}>
            <MetricCards state={view?.state ?? state} view={view} onChart={(charted) => change({ charted })} />
            <ChartFrame view={view} />
            <ReportTable state={state} view={view} onSort={(sort) => change({ sort })} linkInto={linkInto} />
          </div>
        )}
        <InvalidTraffic
          state={state}
          days={days}
          isReady={isReady}
          byDay={addressOf({ groupBy: ['day'], metrics: INVALID_METRICS, charted: 'invalid' })}
        />
      </Stack>
    </>
  )
}

/** The report is not requested before its shop is known. */
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

/** A display campaign drills down to its banners, others to their products. */
function useLinkInto(state: ReportState): (row: ReportRow, dimension: Dimension) => string | null {
  const addressOf = useAddressOf()
  const { items } = useList('/v1/panel/campaigns', { query: { kind: 'DISPLAY' }, pageSize: PAGE_SIZE_MAX })
  const display = new Set(items?.map(({ id }) => id))
  return (row, dimension) => {
    const changes = drillInto(state, row, dimension, (id) => display.has(id))
    return changes && addressOf(changes)
  }
}
