import { InputBase, Popover, Select } from '@mantine/core'
import { useState } from 'react'
import { LazyPart } from '../../../components/loading/lazy.tsx'
import { t } from '../../../messages/pages/reports.ts'
import { type Days, daysLabel, type Period, type Preset, presetLabel, presetNames } from './periods.ts'
import classes from './report-controls.module.css'

const loadCalendar = () => import('./range-calendar.tsx')
const CALENDAR_HEIGHT = 320
const CUSTOM = 'custom'

export interface PeriodFieldsProps {
  period: Period
  /** The dates that the period covers today. */
  days: Days
  /** The time zone of the days; undefined for the browser's. */
  timeZone: string | undefined
  onChange: (period: Period) => void
}

/** Chooses a period relative to today, or two dates. */
export function PeriodFields({ period, days, timeZone, onChange }: PeriodFieldsProps) {
  const [isOpen, setOpen] = useState(false)
  const label = daysLabel(days)
  const take = (chosen: Days) => {
    setOpen(false)
    onChange(chosen)
  }
  return (
    <>
      <Select
        label={t('period')}
        w={{ base: '100%', xs: 140 }}
        allowDeselect={false}
        value={typeof period === 'string' ? period : CUSTOM}
        onChange={(name) => (name === CUSTOM ? setOpen(true) : onChange(name as Preset))}
        data={[
          ...presetNames.map((name) => ({ value: name, label: presetLabel(name) })),
          { value: CUSTOM, label: t('custom') },
        ]}
      />
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <InputBase
            component="button"
            type="button"
            pointer
            label={t('days')}
            w={{ base: '100%', xs: 226 }}
            className={classes.days}
            aria-label={`${t('days')}: ${label}`}
            onClick={() => setOpen(!isOpen)}
          >
            {label}
          </InputBase>
        </Popover.Target>
        <Popover.Dropdown miw={276}>
          <LazyPart load={loadCalendar} props={{ days, timeZone, onChange: take }} height={CALENDAR_HEIGHT} />
        </Popover.Dropdown>
      </Popover>
    </>
  )
}
