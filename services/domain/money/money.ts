/** Inside the program, money is a safe integer of micros (millionths of the currency). Decimals exist only at the HTTP edge. */
export const MICROS = 1_000_000

/** The largest amount accepted at the edge: far above any price, and safe when a million of them are summed. */
export const AMOUNT_MAX = 1_000_000_000

/** The price of a click, at least, in a shop that names none: a hundredth, or the smallest coin of a currency without hundredths. */
export function reserveCpcDefault(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return 10 ** -Math.min(maximumFractionDigits, 2)
}

/** Decimal amount to micros, rounded half up at the sixth decimal. */
export function toMicros(amount: number): number {
  return Math.round(amount * MICROS)
}

/** Micros to a decimal amount. */
export function fromMicros(micros: number): number {
  return micros / MICROS
}
