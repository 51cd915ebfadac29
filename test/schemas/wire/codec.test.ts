import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currentSchema, releasedSchemas } from '../../../schemas/avro/schemas.ts'
import type { EntityKind } from '../../../schemas/records/entities.ts'
import type { RecordTypes } from '../../../schemas/records/records.ts'
import type { RecordName } from '../../../schemas/topics.ts'
import { avroType } from '../../../schemas/wire/avro-type.ts'
import { decode, encode, UndecodableRecord, UnknownSchema, unknownSchemaOf } from '../../../schemas/wire/codec.ts'
import { fingerprintOf } from '../../../schemas/wire/fingerprint.ts'
import { tries } from '../../effort.ts'
import { arbitraryOf } from '../arbitrary.ts'
import { bodies } from '../entity-samples.ts'
import { recordNames, samples } from '../samples.ts'

/** Any value of a record as in schemas/records/records.ts: the registry's body is not wrapped in the name of its branch. */
function valuesOf(name: RecordName, schema: object): fc.Arbitrary<RecordTypes[RecordName]> {
  const values = arbitraryOf(schema) as fc.Arbitrary<{ body: Record<string, unknown> }>
  if (name !== 'RegistryEntry') return values as never
  return values.map((entry) => {
    const [branch, body] = Object.entries(entry.body)[0]!
    return { ...entry, kind: branch.replace('endcap.', ''), body }
  }) as never
}

function withoutDocs(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'doc' ? undefined : value)))
}

describe.each(recordNames)('%s', (name) => {
  it('keeps every value it may hold', () => {
    fc.assert(
      fc.property(valuesOf(name, currentSchema(name)), (value) => {
        expect(decode(name, encode(name, value))).toEqual(value)
      }),
    )
  })

  it('has the fields that the TypeScript type has, and no others', () => {
    expect(decode(name, encode(name, samples[name]))).toEqual(samples[name])
  })

  it('says of every field what it holds', () => {
    const undocumented = JSON.stringify(currentSchema(name), (_, value) =>
      value?.name && value.type && value.type !== 'enum' && !value.doc ? `UNDOCUMENTED ${value.name}` : value,
    )
    expect(undocumented).not.toContain('UNDOCUMENTED')
  })

  it('is released as it is', () => {
    expect(withoutDocs(releasedSchemas(name).at(-1)!.schema)).toEqual(withoutDocs(currentSchema(name)))
  })

  it.each(releasedSchemas(name))('reads what version $version wrote', ({ schema }) => {
    const writer = avroType(schema)
    const header = Buffer.alloc(10)
    header.writeUInt16BE(0xc301)
    header.writeBigUInt64LE(fingerprintOf(schema), 2)
    fc.assert(
      fc.property(arbitraryOf(schema), (value) => {
        if (name === 'RegistryEntry') alignKind(value as never)
        const read = decode(name, Buffer.concat([header, writer.toBuffer(value)]))
        // The decoded value is a valid value of the current schema.
        expect(decode(name, encode(name, read))).toEqual(read)
      }),
      { numRuns: tries(30, 300) },
    )
  })

  it('refuses bytes that were cut or added to', () => {
    const bytes = encode(name, samples[name])
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decode(name, bytes.subarray(0, length)), `${length} bytes`).toThrow(UndecodableRecord)
    }
    expect(() => decode(name, Buffer.concat([bytes, Buffer.from([0])]))).toThrow(UndecodableRecord)
  })

  it('refuses a header that names no schema of its own', () => {
    const bytes = encode(name, samples[name])
    for (let at = 0; at < 10; at++) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= 1
      expect(() => decode(name, damaged)).toThrow(at < 2 ? UndecodableRecord : UnknownSchema)
    }
  })

  it('tells a value of a schema that it does not have from bytes that are no value', () => {
    const newer = encode(name, samples[name])
    newer.writeBigUInt64LE(0x0123456789abcdefn, 2)
    expect(() => decode(name, newer)).toThrow(UnknownSchema)
    expect(() => decode(name, newer)).toThrow(/123456789abcdef needs a newer version/)
    expect(unknownSchemaOf(name, newer)).toBeInstanceOf(UnknownSchema)
    expect(unknownSchemaOf(name, encode(name, samples[name]))).toBeNull()
    for (const nothing of [newer.subarray(0, 9), Buffer.from('not Avro at all'), Buffer.alloc(0)]) {
      expect(unknownSchemaOf(name, nothing)).toBeNull()
      expect(() => decode(name, nothing)).toThrow(UndecodableRecord)
    }
  })

  it('refuses damaged bytes, or reads a value that its schema allows', () => {
    const bytes = encode(name, samples[name])
    const damages = fc.array(fc.tuple(fc.nat(bytes.length - 11), fc.nat(255)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(damages, (changes) => {
        const damaged = Buffer.from(bytes)
        for (const [at, byte] of changes) damaged[10 + at] = byte
        let value: RecordTypes[RecordName]
        try {
          value = decode(name, damaged)
        } catch (error) {
          expect(error).toBeInstanceOf(UndecodableRecord)
          return
        }
        encode(name, value)
      }),
      { numRuns: tries(300, 3_000) },
    )
  })
})

function alignKind(entry: { kind: string; body: object }): void {
  entry.kind = Object.keys(entry.body)[0]!.replace('endcap.', '')
}

it('lays a record out as the Avro specification says', () => {
  const bytes = encode('DeadLetter', samples.DeadLetter)
  const string = (text: string) => Buffer.from([2 * text.length, ...Buffer.from(text)])
  const body = Buffer.concat([
    string('sink'),
    string('ad-events'),
    Buffer.from([2, 34, 2]), // partition 1, offset 17, second branch of key
    string('campaign-1'),
    Buffer.from([2, 6, 0, 255, 1]), // second branch of value, 3 bytes
    string('UNDECODABLE'),
    string('truncated'),
  ])
  expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0xc3, 0x01]))
  expect(bytes.readBigUInt64LE(2)).toBe(fingerprintOf(currentSchema('DeadLetter')))
  expect(bytes.subarray(10, 10 + body.length)).toEqual(body)
})

it.each(Object.keys(bodies) as EntityKind[])('keeps a registry entry of kind %s', (kind) => {
  const entry = { ...samples.RegistryEntry, kind, body: bodies[kind] } as RecordTypes['RegistryEntry']
  expect(decode('RegistryEntry', encode('RegistryEntry', entry))).toEqual(entry)
})

it('refuses to write a body that is not of its kind', () => {
  const entry = { ...samples.RegistryEntry, kind: 'Shop' } as RecordTypes['RegistryEntry']
  expect(() => encode('RegistryEntry', entry)).toThrow(TypeError)
})

it('names the field that cannot be written', () => {
  const value = { ...samples.AdEvent, claims: { ...samples.AdEvent.claims, position: 1.5 } }
  expect(() => encode('AdEvent', value)).toThrow(/AdEvent\.claims\.position/)
})

it('writes values longer than its scratch space', () => {
  const value = { ...samples.PageView, referer: 'ä'.repeat(100_000) }
  expect(decode('PageView', encode('PageView', value))).toEqual(value)
})

it('reads bytes that lie in the middle of another buffer', () => {
  const bytes = encode('PageView', samples.PageView)
  const frame = new Uint8Array(bytes.length + 20)
  frame.set(bytes, 7)
  expect(decode('PageView', frame.subarray(7, 7 + bytes.length))).toEqual(samples.PageView)
})

it.each([2 ** 52 + 1, -(2 ** 52) - 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'refuses to write %d as a long',
  (line) => {
    expect(() => encode('FeedIssue', { ...samples.FeedIssue, line })).toThrow(/FeedIssue.*long/)
  },
)

it('refuses a list that claims more items than there are bytes, at once', () => {
  const type = avroType({ type: 'array', items: 'long' })
  expect(() => type.fromBuffer(Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0x1f]))).toThrow(/longer/)
})

it('resolves an older schema: new fields take their default, new symbols do not disturb', () => {
  const older = { type: 'record', name: 'R', fields: [{ name: 'kind', type: enumOf('A') }] }
  const newer = {
    type: 'record',
    name: 'R',
    fields: [
      { name: 'kind', type: enumOf('A', 'B') },
      { name: 'note', type: ['null', 'string'], default: null },
      { name: 'tags', type: { type: 'array', items: 'string' }, default: [] },
    ],
  }
  const reader = avroType(newer)
  const resolver = reader.createResolver(avroType(older))
  expect(reader.fromBuffer(avroType(older).toBuffer({ kind: 'A' }), resolver)).toEqual({
    kind: 'A',
    note: null,
    tags: [],
  })
})

function enumOf(...symbols: string[]) {
  return { type: 'enum', name: 'Kind', symbols }
}
