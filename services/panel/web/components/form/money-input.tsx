import { DECIMALS_MAX } from '../values/money.tsx'
import { NumberField, type NumberFieldProps } from './number-field.tsx'

export interface MoneyInputProps extends Omit<NumberFieldProps, 'numberStyle' | 'unit'> {
  /** ISO 4217; shown in the field. */
  currency: string | undefined
}

/** A field for an amount of money, read in the locale of the browser: see NumberField. */
export function MoneyInput({ currency, ...props }: MoneyInputProps) {
  return (
    <NumberField
      decimalsMax={DECIMALS_MAX}
      {...props}
      unit={currency}
      numberStyle={currency === undefined ? {} : { currency }}
    />
  )
}
