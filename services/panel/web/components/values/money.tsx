/** The API's amounts have at most six decimals. */
export const DECIMALS_MAX = 6

/** By their options: a table has hundreds of amounts, and making a formatter takes far longer than using it. */
const formats = new Map<string, Intl.NumberFormat>()

/** Formats an amount in the locale of the browser: 1.234,50 €. */
export function formatMoney(amount: number, currency: string, options: Intl.NumberFormatOptions = {}): string {
  const key = JSON.stringify([currency, options])
  const known = formats.get(key)
  const format = known ?? new Intl.NumberFormat(undefined, { style: 'currency', currency, ...options })
  if (!known) formats.set(key, format)
  return format.format(amount)
}

export interface MoneyProps {
  /** Null shows a dash. */
  amount: number | null | undefined
  /** ISO 4217; null means several currencies, so there is no sum. */
  currency: string | null | undefined
}

/** An amount of money. Amounts below 0.1, such as prices of clicks, show all their decimals. */
export function Money({ amount, currency }: MoneyProps) {
  if (amount == null || currency == null) return <>–</>
  const isSmall = amount !== 0 && Math.abs(amount) < 0.1
  return <>{formatMoney(amount, currency, isSmall ? { maximumFractionDigits: DECIMALS_MAX } : {})}</>
}
