import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type NewRecord, RECORD_MAX_BYTES, RecordTooLarge } from '../../../../infra/event-log/port.ts'
import { topicNames } from '../../../../schemas/topics.ts'
import { decodeFrame, encodeFrame, FRAME_MAX_BYTES } from '../../../../services/intake/spool/frame.ts'
import { tries } from '../../../effort.ts'

const record: fc.Arbitrary<NewRecord> = fc.record({
  topic: fc.constantFrom(...topicNames),
  key: fc.option(fc.string({ unit: 'binary', maxLength: 20 })),
  value: fc.option(fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))),
})

/** All records before the first frame that is incomplete or damaged. */
function decodeAll(bytes: Buffer): NewRecord[] {
  const records: NewRecord[] = []
  for (let frame = decodeFrame(bytes, 0); frame; frame = decodeFrame(bytes, frame.end)) records.push(frame.record)
  return records
}
const isPlain = ({ key }: NewRecord) => key === null || key.isWellFormed()

test('records come back as they were written, in order', () => {
  fc.assert(
    fc.property(fc.array(record.filter(isPlain), { maxLength: 8 }), (records) => {
      expect(decodeAll(Buffer.concat(records.map(encodeFrame)))).toEqual(records)
    }),
  )
})

test('what is cut off anywhere gives the records before the cut, and only those', () => {
  fc.assert(
    fc.property(fc.array(record.filter(isPlain), { minLength: 1, maxLength: 4 }), (records) => {
      const frames = records.map(encodeFrame)
      const bytes = Buffer.concat(frames)
      for (let length = 0; length <= bytes.length; length++) {
        let whole = 0
        for (let end = 0; whole < frames.length && end + frames[whole]!.length <= length; whole++)
          end += frames[whole]!.length
        expect(decodeAll(bytes.subarray(0, length))).toEqual(records.slice(0, whole))
      }
    }),
    { numRuns: tries(20, 200) },
  )
})

test('a changed bit is found, and nothing behind it is believed', () => {
  fc.assert(
    fc.property(record.filter(isPlain), record.filter(isPlain), fc.nat(), fc.nat(7), (first, second, at, bit) => {
      const frame = encodeFrame(second)
      frame[at % frame.length]! ^= 1 << bit
      expect(decodeAll(Buffer.concat([encodeFrame(first), frame, encodeFrame(first)]))).toEqual([first])
    }),
  )
})

test('neither zeros nor noise are taken for records', () => {
  expect(decodeAll(Buffer.alloc(4096))).toEqual([])
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(decodeAll(Buffer.from(bytes))).toEqual([])
    }),
  )
})

test('a record is refused exactly when the log would refuse it', () => {
  const largest: NewRecord = { topic: 'transactions', key: 'k', value: Buffer.alloc(RECORD_MAX_BYTES - 1) }
  expect(encodeFrame(largest).length).toBeLessThanOrEqual(FRAME_MAX_BYTES)
  expect(() => encodeFrame({ ...largest, key: 'kk' })).toThrow(RecordTooLarge)
})
