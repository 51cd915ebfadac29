import { expect, it } from 'vitest'
import { emptyTally, tallyText } from '../../../../services/demo/traffic/shopper.ts'

it('counts one thing in the singular', () => {
  expect(tallyText({ ...emptyTally(), visits: 1, ads: 12, clicks: 1 })).toBe('1 visit, 12 ads, 1 click, 0 purchases')
})
