import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EPOCH_MAX, epochOf, firstOffsetOf, OFFSETS_PER_EPOCH, sumOfOffsets } from '../../../infra/event-log/epochs.ts'

const epochs = fc.integer({ min: 0, max: EPOCH_MAX })
/** Offsets in Kafka. The greatest is reached after a year of 30,000 records a second in each partition. */
const places = fc.array(fc.integer({ min: 0, max: 2 ** 30 }), { minLength: 1, maxLength: 500 })

test('the last offset of the last epoch is one that records can hold', () => {
  expect(firstOffsetOf(EPOCH_MAX) + OFFSETS_PER_EPOCH).toBe(2 ** 52)
})

test('the sum of offsets is exact, grows with each of them, and over a restore whatever the copy holds', () => {
  fc.assert(
    fc.property(epochs, places, places, fc.nat(499), (epoch, before, after, at) => {
      const inEpoch = (list: readonly number[], of: number) => list.map((place) => firstOffsetOf(of) + place)
      const sum = sumOfOffsets(inEpoch(before, epoch))
      expect(Number.isSafeInteger(sum)).toBe(true)
      expect(epochOf(sum)).toBe(epoch)
      const grown = before.map((place, i) => (i === at % before.length ? place + 1 : place))
      expect(sumOfOffsets(inEpoch(grown, epoch))).toBe(sum + 1)
      if (epoch < EPOCH_MAX) expect(sumOfOffsets(inEpoch(after, epoch + 1))).toBeGreaterThan(sum)
    }),
  )
})
