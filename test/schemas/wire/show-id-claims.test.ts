import { readFileSync } from 'node:fs'
import avro from 'avsc'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ShowIdClaims } from '../../../schemas/records/events.ts'
import { readClaims, writeClaims } from '../../../schemas/wire/show-id-claims.ts'
import { claims } from './show-id-claims.arbitrary.ts'

class Uuid extends avro.types.LogicalType {
  override _fromValue(bytes: Buffer) {
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }
  override _toValue(uuid: string) {
    return Buffer.from(uuid.replaceAll('-', ''), 'hex')
  }
}
const schema = JSON.parse(readFileSync(new URL('../../../schemas/wire/show-id-claims.avsc', import.meta.url), 'utf8'))
const type = avro.Type.forSchema(schema, { logicalTypes: { uuid: Uuid } })

const written = (value: ShowIdClaims) => {
  const buffer = Buffer.alloc(4000)
  return buffer.subarray(0, writeClaims(value, buffer))
}

describe('the claims codec', () => {
  it('writes, byte for byte, the Avro of the schema', () => {
    fc.assert(
      fc.property(claims, (value) => {
        expect(written(value)).toEqual(type.toBuffer(value))
      }),
    )
  })

  it('reads what an Avro writer wrote', () => {
    fc.assert(
      fc.property(claims, (value) => {
        expect(readClaims(type.toBuffer(value))).toEqual(value)
      }),
    )
  })

  it('reads nothing from a record that is cut or goes on', () => {
    const bytes = written(fc.sample(claims, { numRuns: 1, seed: 1 })[0]!)
    for (let length = 0; length < bytes.length; length++) expect(readClaims(bytes.subarray(0, length))).toBeNull()
    expect(readClaims(Buffer.concat([bytes, Buffer.of(0)]))).toBeNull()
  })

  it.each(['', 'campaign-1', '9B2F1D0C-0000-4000-8000-000000000000', '9b2f1d0c-0000-4000-8000-00000000000'])(
    'refuses %j where a UUID belongs',
    (campaignId) => {
      const [value] = fc.sample(claims, 1)
      expect(() => written({ ...value!, campaignId })).toThrow(RangeError)
    },
  )
})
