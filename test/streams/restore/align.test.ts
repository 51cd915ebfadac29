import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countJudged } from '../../../streams/restore/align.ts'

test('the first event without a verdict follows the event of the last verdict', () => {
  expect(countJudged(['a', 'b', 'c', 'd'], ['a', 'b'])).toBe(2)
  expect(countJudged(['a', 'b'], ['a', 'b'])).toBe(2)
})

test('a verdict whose event was not copied says that every event was judged', () => {
  expect(countJudged(['a', 'b'], ['a', 'b', 'c'])).toBe(2)
})

test('an event that was sent twice and judged once is still to be judged', () => {
  expect(countJudged(['a', 'b', 'b'], ['a', 'b'])).toBe(2)
  expect(countJudged(['a', 'b', 'c', 'b'], ['a', 'b'])).toBe(2)
  expect(countJudged(['a', 'b', 'c', 'b'], ['a', 'b', 'c', 'b'])).toBe(4)
})

test('without an event that is in both nothing can be told', () => {
  expect(countJudged(['a'], ['b'])).toBeNull()
  expect(countJudged([], ['b'])).toBeNull()
  expect(countJudged(['a', 'a'], ['a'])).toBeNull()
})

test('copies that end, and windows that begin, anywhere agree with what the judge had done', () => {
  const dead = fc.array(fc.boolean(), { maxLength: 60 })
  const shares = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(dead, shares, shares, shares, shares, (isDead, ...cuts) => {
      const sent = isDead.map((_, at) => String(at))
      const [judgedTo, copiedTo, eventsFrom, verdictsFrom] = cuts.map((cut) => Math.round(cut * sent.length))
      const judged = sent.slice(0, judgedTo).filter((_, at) => !isDead[at])
      const from = Math.min(eventsFrom!, copiedTo!)
      const found = countJudged(sent.slice(from, copiedTo), judged.slice(verdictsFrom))
      const last = judged.length === 0 ? -1 : Number(judged.at(-1))
      if (found !== null) expect(from + found).toBe(last >= copiedTo! ? copiedTo : last + 1)
      else expect(judged.slice(verdictsFrom).some((id) => Number(id) >= from && Number(id) < copiedTo!)).toBe(false)
    }),
  )
})

test('events that were sent again change nothing once some others came in between', () => {
  const runs = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(runs, fc.double({ min: 0, max: 1, noNaN: true }), (repeats, share) => {
      // 'a' comes once; each of the others is followed by a repetition of an earlier one.
      const sent = ['a', ...repeats.flatMap((back, at) => [`b${at}`, `b${Math.max(0, at - back)}`])]
      const judged = Math.max(1, Math.round(share * sent.length))
      expect(countJudged(sent, sent.slice(0, judged))).toBe(judged)
    }),
  )
})
