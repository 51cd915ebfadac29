import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currentSchema, releasedSchemas } from '../../../schemas/avro/schemas.ts'
import type { AdEvent, JudgedEvent, ShowIdClaims } from '../../../schemas/records/events.ts'
import { adEventBytes, judgedEventBytes, readGist, withoutPerson } from '../../../schemas/wire/ad-event.ts'
import { avroType } from '../../../schemas/wire/avro-type.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { fingerprintOf } from '../../../schemas/wire/fingerprint.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { arbitraryOf } from '../arbitrary.ts'
import { samples } from '../samples.ts'

const uuid = fc.uuid()
const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ minLength: 60, maxLength: 130 }))
const time = fc.integer({ min: 0, max: 4_000_000_000_000 })
const claims: fc.Arbitrary<ShowIdClaims> = fc.record({
  kind: fc.constantFrom('SPONSORED', 'DISPLAY'),
  requestId: uuid,
  shopId: uuid,
  slotHash: uuid,
  adUnitId: uuid,
  campaignId: uuid,
  accountId: uuid,
  adId: text,
  itemGroupId: fc.option(text),
  cid: text,
  uid: fc.option(text),
  algorithm: text,
  position: fc.integer({ min: 0, max: 1_000 }),
  priceMicros: fc.maxSafeNat().map((n) => Math.floor(n / 2)),
  currency: text,
  autoPromo: fc.boolean(),
  country: fc.option(text),
  emittedAt: time,
})
const event: fc.Arbitrary<AdEvent> = fc.record({
  eventId: uuid,
  type: fc.constantFrom('VIEW', 'CLICK'),
  cid: text,
  uid: fc.option(text),
  occurredAt: time,
  receivedAt: time,
  bot: fc.boolean(),
  proof: fc.constantFrom('ANONYMOUS', 'SIGNED', 'TOKEN'),
  addressHash: fc.option(text),
  previousAddressHash: fc.option(text),
  networkHash: fc.option(text),
  agentHash: fc.option(text),
  claims,
})
const showIds = createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] })
const opened = (sealed: ShowIdClaims) => showIds.openBytes(showIds.seal(sealed))!

describe('an event written around the bytes of a showId', () => {
  test('is what the codec writes of the claims', () => {
    fc.assert(
      fc.property(event, (drawn) => {
        const { value, campaignId } = adEventBytes(drawn, opened(drawn.claims))
        expect(value.toString('hex')).toBe(encode('AdEvent', drawn).toString('hex'))
        expect(campaignId).toBe(drawn.claims.campaignId)
      }),
    )
  })

  test('tells kind, person and time without decoding the rest', () => {
    fc.assert(
      fc.property(claims, (drawn) => {
        expect(readGist(opened(drawn))).toEqual({
          kind: drawn.kind,
          shopId: drawn.shopId,
          cid: drawn.cid,
          uid: drawn.uid,
          emittedAt: drawn.emittedAt,
        })
      }),
    )
  })

  test('may be written without the person to whom the ad was shown', () => {
    fc.assert(
      fc.property(event, (drawn) => {
        const { value } = adEventBytes(drawn, withoutPerson(opened(drawn.claims)))
        const nobody = { ...drawn, claims: { ...drawn.claims, cid: '', uid: null } }
        expect(value.toString('hex')).toBe(encode('AdEvent', nobody).toString('hex'))
      }),
    )
  })

  test('with the longest ids that the intake takes has room', () => {
    const [drawn] = fc.sample(event, { numRuns: 1, seed: 1 })
    const longest = { ...drawn!, cid: 'ż'.repeat(256), uid: '漢'.repeat(256) }
    const { value } = adEventBytes(longest, opened(drawn!.claims))
    expect(value.equals(encode('AdEvent', longest))).toBe(true)
  })
})

test('an event with its verdict has the bytes that it would have if it were encoded whole', () => {
  fc.assert(
    fc.property(arbitraryOf(currentSchema('JudgedEvent')) as fc.Arbitrary<JudgedEvent>, (judged) => {
      const adEvent = encode('AdEvent', judged)
      expect(judgedEventBytes(adEvent, judged)).toEqual(encode('JudgedEvent', judged))
    }),
    { numRuns: 500 },
  )
})

test('an event of an older version is not taken over as it is', () => {
  const { schema } = releasedSchemas('AdEvent').at(-2)!
  const header = Buffer.from([0xc3, 0x01, 0, 0, 0, 0, 0, 0, 0, 0])
  header.writeBigUInt64LE(fingerprintOf(schema), 2)
  const bytes = Buffer.concat([header, avroType(schema).toBuffer(samples.AdEvent)])
  expect(judgedEventBytes(bytes, samples.JudgedEvent)).toBeNull()
})
