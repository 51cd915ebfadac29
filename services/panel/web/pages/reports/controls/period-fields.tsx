import { Select } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { useState } from 'react'
import { addDays, DAYS_MAX, type Days, type Period, type Preset, presetLabel, presetNames } from './periods.ts'
import classes from './report-controls.module.css'

const CUSTOM = 'custom'

export interface PeriodFieldsProps {
  period: Period
  /** The dates that the period covers today. */
  days: Days
  onChange: (period: Period) => void
}

/** Chooses a period that moves with today, or two dates. */
export function PeriodFields({ period, days, onChange }: PeriodFieldsProps) {
  // The range between the first click and the second.
  const [begun, setBegun] = useState<string | null>(null)
  const value: [string | null, string | null] = begun === null ? [days.from, days.until] : [begun, null]
  const take = ([from, until]: [string | null, string | null]) => {
    setBegun(until === null ? from : null)
    if (from !== null && until !== null) onChange({ from, until })
  }
  return (
    <>
      <Select
        label="Period"
        w={{ base: '100%', xs: 150 }}
        allowDeselect={false}
        value={typeof period === 'string' ? period : CUSTOM}
        onChange={(name) => onChange(name === CUSTOM ? days : (name as Preset))}
        data={[
          ...presetNames.map((name) => ({ value: name, label: presetLabel(name) })),
          { value: CUSTOM, label: 'Custom' },
        ]}
      />
      <DatePickerInput
        type="range"
        label="Days"
        w={{ base: '100%', xs: 236 }}
        className={classes.days}
        valueFormat="D MMM YYYY"
        allowSingleDateInRange
        value={value}
        onChange={take}
        onDropdownClose={() => setBegun(null)}
        maxDate={begun === null ? undefined : addDays(begun, DAYS_MAX - 1)}
        minDate={begun === null ? undefined : addDays(begun, 1 - DAYS_MAX)}
      />
    </>
  )
}
