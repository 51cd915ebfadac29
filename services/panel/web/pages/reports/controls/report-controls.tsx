import { Button, Checkbox, Group, Paper, Popover, Select, Switch, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useShop } from '../../../session/shop-context.tsx'
import { isWhatIf, type ReportState } from '../report-state.ts'
import type { ChangeReport } from '../use-report-state.ts'
import { type Dimension, dimensionNames, dimensions, isTime, type Metric, metricNames, wordsOf } from '../vocabulary.ts'
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
      <PeriodFields period={state.period} days={days} onChange={(period) => change({ period })} />
      <ShopField state={state} change={change} />
      <Select
        label="Group by"
        w={{ base: '100%', xs: 136 }}
        allowDeselect={false}
        value={first!}
        data={choices()}
        onChange={(name) => change({ groupBy: grouped(name as Dimension, second) })}
      />
      <Select
        label="And by"
        w={{ base: '100%', xs: 136 }}
        clearable
        placeholder="Nothing"
        value={second ?? null}
        data={choices().filter(({ value }) => value !== first && !(isTime(value) && isTime(first)))}
        onChange={(name) => change({ groupBy: grouped(first!, (name ?? undefined) as Dimension | undefined) })}
      />
      <MetricsField metrics={state.metrics} onChange={(metrics) => change({ metrics })} />
      <Switch
        label="Compare with the days before"
        className={classes.compare}
        checked={state.compare && !isOther}
        disabled={isOther}
        onChange={({ currentTarget: { checked } }) => change({ compare: checked })}
      />
    </Paper>
  )
}

const choices = () => dimensionNames.map((value) => ({ value, label: dimensions[value] }))

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
      label="Shop"
      w={{ base: '100%', xs: 170 }}
      allowDeselect={false}
      searchable
      value={state.shopId ?? ALL}
      data={[{ value: ALL, label: 'All shops' }, ...shops.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(id) => change({ shopId: id === ALL ? null : id })}
    />
  )
}

function MetricsField({ metrics, onChange }: { metrics: readonly Metric[]; onChange: (metrics: Metric[]) => void }) {
  return (
    <Popover position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" className={classes.metrics} rightSection={<IconChevronDown size={15} aria-hidden />}>
          {`Metrics (${metrics.length})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Metrics">
        <Checkbox.Group
          value={[...metrics]}
          onChange={(names) => names.length > 0 && onChange(metricNames.filter((name) => names.includes(name)))}
        >
          <div className={classes.choices}>
            {metricNames.map((name) => (
              <Checkbox key={name} value={name} label={wordsOf(name).label} size="xs" />
            ))}
          </div>
        </Checkbox.Group>
        <Group mt="sm">
          <Text size="xs" c="dimmed">
            Kept in the address of the page.
          </Text>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
