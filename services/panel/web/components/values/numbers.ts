const count = new Intl.NumberFormat()
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 })
const score = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 })
const factor = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })

type Figure = number | null | undefined

/** Formats a whole number: 12,345. Like the other functions here, it turns a missing figure into a dash. */
export const formatCount = (value: Figure) => (value == null ? '–' : count.format(value))
/** Formats a fraction as a percentage: 1.25%. */
export const formatShare = (value: Figure) => (value == null ? '–' : share.format(value))
/** Formats a score with three significant digits: 0.0123. */
export const formatScore = (value: Figure) => (value == null ? '–' : score.format(value))
/** Formats a return on ad spend: 2.50 ×. */
export const formatRoas = (value: Figure) => (value == null ? '–' : `${factor.format(value)} ×`)
