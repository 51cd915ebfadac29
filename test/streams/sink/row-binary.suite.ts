import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { currentSchema, releasedSchemas } from '../../../schemas/avro/schemas.ts'
import type { RecordTypes } from '../../../schemas/records/records.ts'
import { topics } from '../../../schemas/topics.ts'
import { avroType } from '../../../schemas/wire/avro-type.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { fingerprintOf } from '../../../schemas/wire/fingerprint.ts'
import { storedTopics, tablesOf } from '../../../streams/sink/rows.ts'
import { tableRowsOf } from '../../../streams/sink/table-rows.ts'
import { arbitraryOf } from '../../schemas/arbitrary.ts'
import { logRecord } from '../runtime/fake-log.ts'
import { jsonRowOf } from './json-rows.ts'

const PARTITION = 3
const RECORDS = 300
const binaryTopics = storedTopics.filter((topic) => 'plan' in tablesOf[topic][0])

/** Compares binary rows with the same rows as JSON, in memory tables with the columns of the real ones. */
export function rowBinarySuite(open: () => Promise<Analytics>): void {
  let analytics: Analytics
  beforeAll(async () => {
    analytics = await open()
  })
  afterAll(() => analytics.close())

  describe.each(binaryTopics)('%s', (topic) => {
    const name = topics[topic].record
    const [{ table }] = tablesOf[topic]

    it('has the rows that it would have by way of JSON, of every version', async () => {
      const schemas = [currentSchema(name), ...releasedSchemas(name).map(({ schema }) => schema)]
      const bytes = schemas.flatMap((schema) => fc.sample(arbitraryOf(schema), RECORDS).map(writerOf(schema)))
      const records = bytes.map((value, offset) => logRecord({ topic, key: null, value }, PARTITION, offset))
      const { tables, dead } = await tableRowsOf({ topic, partition: PARTITION, records })
      expect(dead).toEqual([])

      const [binary, json] = [`${table}_binary`, `${table}_json`]
      for (const each of [binary, json]) await analytics.command(`CREATE TABLE ${each} AS ${table} ENGINE = Memory`)
      await analytics.insert(binary, tables[0]!.blockOf([...bytes.keys()]), { token: 'binary' })
      const rows = bytes.map((value, _offset) =>
        jsonRowOf({ _topic: topic, _partition: PARTITION, _offset }, decode(name, value)),
      )
      await analytics.insert(json, rows, { token: 'json' })
      const stored = (from: string) => analytics.query(`SELECT * FROM ${from} ORDER BY _offset`)
      expect(await stored(binary)).toEqual(await stored(json))
      expect(await stored(binary)).toHaveLength(bytes.length)
    })
  })

  function writerOf(schema: object): (value: unknown) => Buffer {
    const header = Buffer.from([0xc3, 0x01, 0, 0, 0, 0, 0, 0, 0, 0])
    header.writeBigUInt64LE(fingerprintOf(schema), 2)
    const type = avroType(schema)
    return (value) => Buffer.concat([header, type.toBuffer(value)])
  }
}

/** Tests without a store what becomes of bytes that were not written with `encode`. */
export function damagedRecords(): void {
  it.each(binaryTopics)('%s has rows of exactly those damaged records that can be decoded', async (topic) => {
    const name = topics[topic].record
    const damaged = fc
      .tuple(arbitraryOf(currentSchema(name)), fc.nat(), fc.nat(255), fc.constantFrom('change', 'cut', 'add'))
      .map(([value, seed, byte, how]) => {
        const bytes = encode(name, value as RecordTypes[typeof name])
        const at = 10 + (seed % (bytes.length - 10))
        if (how === 'cut') return bytes.subarray(0, at)
        if (how === 'add') return Buffer.concat([bytes, Buffer.from([byte])])
        bytes[at] = byte
        return bytes
      })
    const rowsOf = async (value: Buffer) => {
      const { tables, dead } = await tableRowsOf({
        topic,
        partition: 0,
        records: [logRecord({ topic, key: null, value }, 0, 7)],
      })
      const [rows] = tables
      return { dead, row: rows!.offsets.length === 0 ? null : (rows!.blockOf([0]) as { bytes: Uint8Array }).bytes }
    }
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        const { dead, row } = await rowsOf(bytes)
        let current: Buffer
        try {
          current = encode(name, decode(name, bytes))
        } catch (error) {
          expect(row).toBeNull()
          expect(dead).toEqual([{ offset: 7, code: 'UNDECODABLE', message: (error as Error).message }])
          return
        }
        expect(dead).toEqual([])
        expect(row).toEqual((await rowsOf(current)).row)
      }),
      { numRuns: 500 },
    )
  })
}
