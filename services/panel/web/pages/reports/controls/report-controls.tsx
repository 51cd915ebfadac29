import { Button, Checkbox, Paper, Popover, Select, Switch } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { t } from '../../../messages/pages/reports.ts'
import { useShop } from '../../../session/shop-context.tsx'
import { isWhatIf, type ReportState } from '../report-state.ts'
import { useReportShop } from '../use-report.ts'
import type { ChangeReport } from '../use-report-state.ts'
import { type Dimension, dimensionNames, isTime, metricsFor, wordFor } from '../vocabulary.ts'
import { PeriodFields } from './period-fields.tsx'
import type { Days } from './periods.ts'
import classes from './report-controls.module.css'

export interface ReportControlsProps {
  state: ReportState
  days: Days
  change: ChangeReport
}

/** The settings of the report: days, shop, grouping, metrics and comparison. */
export function ReportControls({ state, days, change }: ReportControlsProps) {
  const [first, second] = state.groupBy
  const isOther = isWhatIf(state.whatIf)
  return (
    <Paper withBorder p="md" className={classes.controls}>
      <PeriodFields
        period={state.period}
        days={days}
        timeZone={useReportShop(state)?.timeZone}
        onChange={(period) => change({ period })}
      />
      <ShopField state={state} change={change} />
      <Select
        label={t('groupBy')}
        w={{ base: '100%', xs: 180 }}
        allowDeselect={false}
        value={first!}
        data={choices()}
        onChange={(name) => change({ groupBy: grouped(name as Dimension, second) })}
      />
      <Select
        label={t('andBy')}
        w={{ base: '100%', xs: 180 }}
        clearable
        placeholder={t('nothing')}
        value={second ?? null}
        data={choices().filter(({ value }) => value !== first && !(isTime(value) && isTime(first)))}
        onChange={(name) => change({ groupBy: grouped(first!, (name ?? undefined) as Dimension | undefined) })}
      />
      <MetricsField state={state} change={change} />
      <Switch
        label={t('compareWithPrevious')}
        className={classes.compare}
        checked={state.compare && !isOther}
        disabled={isOther}
        onChange={({ currentTarget: { checked } }) => change({ compare: checked })}
      />
    </Paper>
  )
}

const choices = () => dimensionNames.map((value) => ({ value, label: wordFor(value) }))

function grouped(first: Dimension, second: Dimension | undefined): Dimension[] {
  const fits = second !== undefined && second !== first && !(isTime(first) && isTime(second))
  return fits ? [first, second] : [first]
}

const ALL = 'all'

function ShopField({ state, change }: Pick<ReportControlsProps, 'state' | 'change'>) {
  const { shops } = useShop()
  if (!shops || shops.length < 2) return null
  return (
    <Select
      label={t('shop')}
      w={{ base: '100%', xs: 170 }}
      allowDeselect={false}
      searchable
      value={state.shopId ?? ALL}
      data={[{ value: ALL, label: t('allShops') }, ...shops.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(id) => change({ shopId: id === ALL ? null : id })}
    />
  )
}

function MetricsField({ state: { metrics, groupBy }, change }: Pick<ReportControlsProps, 'state' | 'change'>) {
  const all = metricsFor(groupBy)
  return (
    <Popover position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" px="sm" rightSection={<IconChevronDown size={15} aria-hidden />}>
          {t('metricsCount', { count: metrics.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('metrics')}>
        <Checkbox.Group
          value={[...metrics]}
          onChange={(names) => names.length > 0 && change({ metrics: all.filter((name) => names.includes(name)) })}
        >
          <div className={classes.choices}>
            {all.map((name) => (
              <Checkbox key={name} value={name} label={wordFor(name)} size="xs" />
            ))}
          </div>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  )
}
