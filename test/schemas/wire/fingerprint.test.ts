import { describe, expect, it } from 'vitest'
import { canonicalForm, crc64Avro, fingerprintOf } from '../../../schemas/wire/fingerprint.ts'

/** From share/test/data/schema-tests.txt of Apache Avro: schema, Parsing Canonical Form, CRC-64-AVRO as a signed long. */
const vectors: [schema: string, canonical: string, fingerprint: bigint][] = [
  ['"null"', '"null"', 7195948357588979594n],
  ['{"type":"boolean"}', '"boolean"', -6970731678124411036n],
  ['"int"', '"int"', 8247732601305521295n],
  ['"string"', '"string"', -8142146995180207161n],
  ['[ "int" , {"type":"boolean"} ]', '["int","boolean"]', 5392556393470105090n],
  [
    '{"fields":[], "type":"record", "name":"foo", "namespace":"x.y"}',
    '{"name":"x.y.foo","type":"record","fields":[]}',
    5916914534497305771n,
  ],
  [
    '{"fields":[], "type":"record", "name":"a.b.foo", "namespace":"x.y"}',
    '{"name":"a.b.foo","type":"record","fields":[]}',
    -4616218487480524110n,
  ],
  [
    '{"fields":[{"type":"boolean","aliases":[],"name":"f1","default":"true"},{"order":"descending","name":"f2","doc":"Hello","type":"int"}],"type":"record","name":"foo"}',
    '{"name":"foo","type":"record","fields":[{"name":"f1","type":"boolean"},{"name":"f2","type":"int"}]}',
    -4860222112080293046n,
  ],
  [
    '{"namespace":"x.y.z", "type":"enum", "name":"foo", "doc":"foo bar", "symbols":["A1", "A2"]}',
    '{"name":"x.y.z.foo","type":"enum","symbols":["A1","A2"]}',
    -4448647247586288245n,
  ],
  ['{"name":"foo","type":"fixed","size":15}', '{"name":"foo","type":"fixed","size":15}', 1756455273707447556n],
  ['{ "items":{"type":"null"}, "type":"array"}', '{"type":"array","items":"null"}', -589620603366471059n],
  ['{ "values":"string", "type":"map"}', '{"type":"map","values":"string"}', -8732877298790414990n],
  [
    '{"name":"PigValue","type":"record","fields":[{"name":"value","type":["null","int","long","PigValue"]}]}',
    '{"name":"PigValue","type":"record","fields":[{"name":"value","type":["null","int","long","PigValue"]}]}',
    -1759257747318642341n,
  ],
]

describe.each(vectors)('%s', (schema, canonical, fingerprint) => {
  it('has the canonical form and the fingerprint that Avro publishes', () => {
    expect(canonicalForm(JSON.parse(schema))).toBe(canonical)
    expect(fingerprintOf(JSON.parse(schema))).toBe(BigInt.asUintN(64, fingerprint))
  })
})

it('of no bytes is the empty fingerprint', () => {
  expect(crc64Avro(new Uint8Array())).toBe(0xc15d213aa4d7a795n)
})

it('gives names in a namespace their full names, references too', () => {
  const kind = { type: 'enum', name: 'Kind', symbols: ['A'] }
  const fields = [
    { name: 'one', type: kind },
    { name: 'two', type: { type: 'array', items: 'Kind' } },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' } },
  ]
  expect(canonicalForm({ type: 'record', namespace: 'endcap', name: 'R', doc: 'd', fields })).toBe(
    '{"name":"endcap.R","type":"record","fields":[{"name":"one","type":{"name":"endcap.Kind","type":"enum","symbols":["A"]}},' +
      '{"name":"two","type":{"type":"array","items":"endcap.Kind"}},{"name":"at","type":"long"}]}',
  )
})
