import { NumberInput, type NumberInputProps } from '@mantine/core'

/** The API's finest amount is a millionth of a currency's unit. */
const DECIMALS_MAX = 6

/** An amount as it is read here: 1.234,50 €. */
export function formatMoney(amount: number, currency: string, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...options }).format(amount)
}

export interface MoneyProps {
  /** Null: a dash. */
  amount: number | null | undefined
  /** ISO 4217; null: several, and so no sum. */
  currency: string | null | undefined
}

/** An amount of money. Prices of clicks show their small parts too. */
export function Money({ amount, currency }: MoneyProps) {
  if (amount == null || currency == null) return <>–</>
  const isSmall = amount !== 0 && Math.abs(amount) < 0.1
  return <>{formatMoney(amount, currency, isSmall ? { maximumFractionDigits: DECIMALS_MAX } : {})}</>
}

export interface MoneyInputProps extends NumberInputProps {
  /** ISO 4217; shown in the field. */
  currency: string | undefined
}

/** A field for an amount; its value is a number, or '' while it is empty. */
export function MoneyInput({ currency, ...props }: MoneyInputProps) {
  return (
    <NumberInput
      min={0}
      decimalScale={DECIMALS_MAX}
      allowNegative={false}
      hideControls
      thousandSeparator=" "
      inputMode="decimal"
      rightSection={currency}
      rightSectionWidth={48}
      rightSectionPointerEvents="none"
      maw={220}
      {...props}
    />
  )
}
