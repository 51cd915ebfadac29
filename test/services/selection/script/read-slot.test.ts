import { expect, it } from 'vitest'
import { readSlot } from '../../../../services/selection/script/read-slot.ts'

const readSides = (row: string, col: string) =>
  readSlot({ slotHash: '01a1fc92-0beb-4b7e-9a2e-000000000000', elementId: 'ads', row, col }, {})

it('takes as many rows and columns as make the most ads of a slot, and says how many columns would fit', () => {
  expect(readSides('10', '10').targeting.adCount).toBe(100)
  expect(() => readSides('11', '10')).toThrow('params/col: must be at most 9 with 11 rows: 100 ads in all')
  expect(() => readSides('100', '2')).toThrow('params/col: must be at most 1 with 100 rows: 100 ads in all')
})
