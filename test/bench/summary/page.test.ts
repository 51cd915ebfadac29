import { expect, it } from 'vitest'
import { benchmarksPage, type DatedFigure, updated } from './page.ts'

const figure = (measure: string, value: number, goal: DatedFigure['goal']): DatedFigure => ({
  ...{ measure, value, unit: 'ms', goal, day: '2026-01-31', commit: 'abc1234' },
})

it('says of each figure whether its goal is met, at the bound too', () => {
  const page = benchmarksPage(
    [
      figure('late', 3.1428, { atMost: 3 }),
      figure('in time', 3, { atMost: 3 }),
      figure('slow', 39_999, { atLeast: 40_000 }),
      figure('quick', 40_000, { atLeast: 40_000 }),
    ],
    '2 × a processor',
  )
  expect(page).toContain('Machine: 2 × a processor. 2 of 4 goals are met.')
  expect(page).toContain('| late | 3.14 | ms | at most 3 | **missed** |  | 2026-01-31, abc1234 |')
  expect(page).toContain('| in time | 3 | ms | at most 3 | met |')
  expect(page).toContain('| slow | 39,999 | ms | at least 40,000 | **missed** |')
  expect(page).toContain('| quick | 40,000 | ms | at least 40,000 | met |')
})

it('says how quick the machine was, where that was noted', () => {
  const page = benchmarksPage([{ ...figure('a', 1, { atMost: 1 }), paceMs: 61.23 }], 'a processor')
  expect(page).toContain('| a | 1 | ms | at most 1 | met | 61.2 | 2026-01-31, abc1234 |')
})

it('replaces what was measured again, and keeps the rest', () => {
  const [first, second, again] = [1, 2, 3].map((value) => figure(value === 2 ? 'b' : 'a', value, { atMost: 5 }))
  expect(updated([first!, second!], [again!])).toEqual([again, second])
  expect(updated([first!], [second!])).toEqual([first, second])
})
