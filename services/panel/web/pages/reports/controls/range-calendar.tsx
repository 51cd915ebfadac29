import { Text } from '@mantine/core'
import { type CalendarLevel, DatePicker } from '@mantine/dates'
import '@mantine/dates/styles.css'
import { useEffect, useRef, useState } from 'react'
import { PERIOD_DAYS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { dateIn } from '../../../components/values/times.tsx'
import { t } from '../../../messages/pages/reports.ts'
import { addDays, type Days, dayLabel } from './periods.ts'
import classes from './range-calendar.module.css'

export interface RangeCalendarProps {
  days: Days
  timeZone: string | undefined
  onChange: (days: Days) => void
}

/** A calendar in the language of the browser. The first click chooses the first day, the second the last. */
export default function RangeCalendar({ days, timeZone, onChange }: RangeCalendarProps) {
  // The first day of the range, between the first click and the second.
  const [begun, setBegun] = useState<string | null>(null)
  const [level, setLevel] = useState<CalendarLevel>('month')
  const calendar = useRef<HTMLDivElement>(null)
  // What leads from days to months and back is gone with the old level. Without the focus, Escape would not close the calendar.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the level is what takes the focus away
  useEffect(() => {
    if (document.activeElement !== document.body) return
    calendar.current?.querySelector<HTMLElement>('table button:not([tabindex="-1"], :disabled)')?.focus()
  }, [level])
  const today = dateIn(timeZone, Date.now())
  const take = ([from, until]: [string | null, string | null]) => {
    setBegun(until === null ? from : null)
    if (from !== null && until !== null) onChange({ from, until })
  }
  const greatest = begun === null ? today : least(today, addDays(begun, PERIOD_DAYS_MAX - 1))
  return (
    <div ref={calendar} className={classes.calendar}>
      <DatePicker
        type="range"
        allowSingleDateInRange
        value={begun === null ? [days.from, days.until] : [begun, null]}
        onChange={take}
        defaultDate={days.until}
        onLevelChange={setLevel}
        minDate={begun === null ? undefined : addDays(begun, 1 - PERIOD_DAYS_MAX)}
        maxDate={greatest}
        firstDayOfWeek={firstDayOfWeek()}
        weekendDays={[]}
        monthLabelFormat={(date) => dayLabel(date, { month: 'long', year: 'numeric' })}
        weekdayFormat={(date) => dayLabel(date, { weekday: 'short' })}
        getDayAriaLabel={(date) => dayLabel(date, { dateStyle: 'full' })}
        getMonthControlProps={(date) => ({ children: dayLabel(date, { month: 'short' }) })}
        ariaLabels={{
          previousMonth: t('previousMonth'),
          nextMonth: t('nextMonth'),
          previousYear: t('previousYear'),
          nextYear: t('nextYear'),
          previousDecade: t('previousDecade'),
          nextDecade: t('nextDecade'),
        }}
      />
      <Text size="xs" c="dimmed" mt="xs" maw={252}>
        {t('firstAndLastDay', { zone: timeZone ?? t('yourZone', { zone: browserZone() }) })}
      </Text>
    </div>
  )
}

const least = (a: string, b: string) => (a < b ? a : b)
const browserZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6
/** Part of ES2025; some browsers and TypeScript's library lack it. */
type WithWeek = Intl.Locale & { getWeekInfo?: () => { firstDay: number } }

/** The first day of the week in the browser's region; 0 is Sunday. */
function firstDayOfWeek(): Weekday {
  const locale: WithWeek = new Intl.Locale(navigator.language)
  return ((locale.getWeekInfo?.().firstDay ?? 1) % 7) as Weekday
}
