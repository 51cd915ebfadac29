import { dateIn } from '../../../components/values/times.tsx'
import { useAddressQuery } from '../../../data/use-address-value.ts'
import { type Days, daysOf, type Period, periodIn } from './periods.ts'

/** The period in the address of a page, and its days in a time zone: a period relative to today, or two dates. */
export function useAddressPeriod(timeZone: string | undefined): {
  period: Period
  days: Days
  setPeriod: (period: Period) => void
} {
  const [search, changeQuery] = useAddressQuery()
  const period = periodIn(search)
  const setPeriod = (chosen: Period) =>
    changeQuery((query) => {
      for (const name of ['period', 'from', 'until']) query.delete(name)
      for (const [name, value] of Object.entries(typeof chosen === 'string' ? { period: chosen } : chosen)) {
        query.set(name, value)
      }
      return query
    })
  return { period, days: daysOf(period, dateIn(timeZone, Date.now())), setPeriod }
}
