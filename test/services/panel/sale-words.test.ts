import { describe, expect, it } from 'vitest'
import {
  distance,
  type ExplainedLine,
  outcomeLabel,
  resultLabel,
} from '../../../services/panel/web/pages/sales/sale-words.ts'

type Touch = ExplainedLine['touches'][number]
const touch = (of: Partial<Touch>) => ({ result: 'NOT_VALID', verdict: 'BOT', ...of }) as Touch
const line = (outcome: string, touches: Touch[] = []) => ({ outcome, touches }) as unknown as ExplainedLine

describe('the outcome of a line', () => {
  it('says what was filtered, above the views and clicks that it shows', () => {
    const bots = Array.from({ length: 6 }, () => touch({}))
    expect(outcomeLabel(line('NO_TOUCH', bots))).toBe('No valid views or clicks: 6 were filtered as bots')
    const both = [
      touch({ verdict: 'DUPLICATE' }),
      touch({ verdict: 'INVALID_TRAFFIC' }),
      touch({ result: 'OUT_OF_WINDOW' }),
    ]
    expect(outcomeLabel(line('NO_TOUCH', both))).toBe(
      'No valid views or clicks: 2 were filtered as duplicates and invalid traffic',
    )
    expect(outcomeLabel(line('NO_TOUCH', [touch({ verdict: 'EXPIRED' })]))).toContain('1 was filtered as expired')
  })

  it('tells views and clicks outside the windows from none at all', () => {
    expect(outcomeLabel(line('NO_TOUCH'))).toBe('No views or clicks')
    expect(outcomeLabel(line('NO_TOUCH', [touch({ result: 'OUT_OF_WINDOW' })]))).toBe(
      'No views or clicks within the attribution windows',
    )
  })
})

it('names results and distances as people do', () => {
  expect(resultLabel(touch({ verdict: 'OVER_BUDGET' }))).toBe('Not valid: over budget')
  expect(resultLabel(touch({ result: 'WON' }))).toBe('Got the credit')
  expect(distance('2026-11-20T10:00:00Z', '2026-11-22T10:00:00Z')).toBe('2 days before')
  expect(distance('2026-11-22T10:00:01Z', '2026-11-22T10:00:00Z')).toBe('1 second after')
})
