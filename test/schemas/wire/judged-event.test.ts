import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currentSchema, releasedSchemas } from '../../../schemas/avro/schemas.ts'
import type { JudgedEvent } from '../../../schemas/records/events.ts'
import { avroType } from '../../../schemas/wire/avro-type.ts'
import { decode, encode, UndecodableRecord } from '../../../schemas/wire/codec.ts'
import { fingerprintOf } from '../../../schemas/wire/fingerprint.ts'
import { JudgedEventReader } from '../../../schemas/wire/judged-event.ts'
import { arbitraryOf } from '../arbitrary.ts'
import { samples } from '../samples.ts'

const fieldsOf = (event: JudgedEvent) => {
  const { type, cid, uid, occurredAt, receivedAt, addressHash, networkHash, agentHash, claims } = event
  const { kind, requestId, shopId, adUnitId, campaignId, adId, priceMicros, autoPromo, emittedAt } = claims
  const { verdict, billedMicros, sourceOffset, marks } = event
  return {
    ...{ type, cid, uid, occurredAt, receivedAt, addressHash, networkHash, agentHash },
    ...{ kind, requestId, shopId, adUnitId, campaignId, adId, priceMicros, autoPromo, emittedAt },
    ...{ verdict, billedMicros, sourceOffset, marks },
    ...{ claimsCid: claims.cid, claimsUid: claims.uid, isOwn: cid === claims.cid, hasAddress: addressHash !== null },
  }
}

describe('the reader of judged events', () => {
  test('reads of each record what decoding it would give', () => {
    const events = new JudgedEventReader()
    const judged = arbitraryOf(currentSchema('JudgedEvent')) as fc.Arbitrary<JudgedEvent>
    const own = judged.map((event) => ({ ...event, cid: event.claims.cid }))
    fc.assert(
      fc.property(fc.oneof(judged, own), (event) => {
        expect(events.read(encode('JudgedEvent', event))).toMatchObject(fieldsOf(event))
      }),
      { numRuns: 500 },
    )
  })

  test('reads records of every older version', () => {
    for (const { schema } of releasedSchemas('JudgedEvent')) {
      const header = Buffer.from([0xc3, 0x01, 0, 0, 0, 0, 0, 0, 0, 0])
      header.writeBigUInt64LE(fingerprintOf(schema), 2)
      const [drawn] = fc.sample(arbitraryOf(schema), 1)
      const bytes = Buffer.concat([header, avroType(schema).toBuffer(drawn)])
      expect(new JudgedEventReader().read(bytes)).toMatchObject(fieldsOf(decode('JudgedEvent', bytes)))
    }
  })

  test('refuses what is cut off or too long', () => {
    const bytes = encode('JudgedEvent', samples.JudgedEvent)
    const events = new JudgedEventReader()
    for (const broken of [bytes.subarray(0, -1), bytes.subarray(0, 40), Buffer.concat([bytes, Buffer.alloc(1)])]) {
      expect(() => events.read(broken)).toThrow(UndecodableRecord)
    }
  })
})
