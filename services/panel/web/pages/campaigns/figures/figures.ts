const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 })
const factor = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const count = new Intl.NumberFormat()

/** Formats figures of reports; null becomes a dash. */
export const formatShare = (share: number | null | undefined) => (share == null ? '–' : percent.format(share))
export const formatCount = (value: number | null | undefined) => (value == null ? '–' : count.format(value))
export const formatRoas = (value: number | null | undefined) => (value == null ? '–' : `${factor.format(value)} ×`)
