import { describe, expect, it } from 'vitest'
import { localCells } from '../../../../services/domain/time/local-cells.ts'

const at = (text: string) => Date.parse(text)
const lengths = (cells: readonly { start: number; end: number }[]) =>
  cells.map(({ start, end }) => (end - start) / 60_000)

describe('cells of a clock', () => {
  it('are whole days and hours, with those that a change of the clock makes longer, shorter or into pieces', () => {
    const spring = localCells('Europe/Warsaw', at('2026-03-27T23:00Z'), at('2026-03-30T22:00Z'))
    expect(lengths(spring.days)).toEqual([24 * 60, 23 * 60, 24 * 60])
    expect(spring.hours).toHaveLength(71)
    // Half an hour occurs twice: one cell before the change and one after it.
    const lordHowe = localCells('Australia/Lord_Howe', at('2026-04-03T13:00Z'), at('2026-04-05T13:30Z'))
    expect(lengths(lordHowe.days)).toEqual([24 * 60, 24.5 * 60])
    expect(lengths(lordHowe.hours).filter((minutes) => minutes !== 60)).toEqual([30])
  })

  it('leave out what the time holds only a part of', () => {
    const { days, hours } = localCells('Asia/Kathmandu', at('2026-07-14T20:00Z'), at('2026-07-16T18:15Z'))
    expect(days).toEqual([{ start: at('2026-07-15T18:15Z'), end: at('2026-07-16T18:15Z') }])
    expect(hours[0]).toEqual({ start: at('2026-07-14T20:15Z'), end: at('2026-07-14T21:15Z') })
    expect(hours.at(-1)!.end).toBe(at('2026-07-16T18:15Z'))
  })
})
