import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { ColumnSource, ParquetWriter as Writer } from 'hyparquet-writer'
import type { ReportDisclosure, ReportMetric } from '../../../schemas/http/panel/reports/reports.ts'
import { DECIMALS, type Figure, kindOf } from './figures.ts'
import { columnsOf, type Report } from './report.ts'
import type { ReportRequest } from './request.ts'

export const PARQUET_TYPE = 'application/vnd.apache.parquet'

type SchemaElement = ConstructorParameters<typeof Writer>[0]['schema'][number]

/** Rows of a group. A group is encoded at once, and other requests are answered between groups. */
const GROUP_ROWS = 1_000
/** A decimal of 128 bits and the digits that it holds: 64 bits hold sums up to 9.2 million million only. */
const DECIMAL_128 = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38 } as const

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
const metricTypes = {
  COUNT: { type: 'INT64' },
  MONEY: { ...DECIMAL_128, scale: DECIMALS },
  RATIO: { type: 'DOUBLE' },
} as const

/**
 * A report as a Parquet file. Columns have the names of CSV: text, counts as INT64, money as DECIMAL(38, 6) and ratios as
 * DOUBLE. If the report has a disclosure, it is JSON under the key `disclosure` of the file's metadata.
 */
export async function parquetOf(request: ReportRequest, { rows, disclosure }: Report): Promise<Uint8Array> {
  // Loaded on first use, so that starts do not wait for it.
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const columns = columnsOf(request)
  const metrics: ReadonlySet<string> = new Set(request.metrics)
  const typeOf = (name: string) => (metrics.has(name) ? metricTypes[kindOf(name as ReportMetric)] : TEXT)
  const writer = new ByteWriter()
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: 'report', num_children: columns.length },
      ...columns.map((name): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...typeOf(name) })),
    ],
    createdBy: 'Endcap',
    ...(disclosure && { kvMetadata: [metadataOf(disclosure)] }),
  })
  for (let from = 0; from < rows.length || from === 0; from += GROUP_ROWS) {
    const group = rows.slice(from, from + GROUP_ROWS)
    const columnData = columns.map((name): ColumnSource => {
      const isCount = typeOf(name) === metricTypes.COUNT
      return { name, data: group.map((row) => (isCount ? wholeNumber(row[name]) : row[name])) }
    })
    await file.write({ columnData })
    await nextTurn()
  }
  await file.finish()
  return writer.getBytes()
}

export const sendParquet = (reply: FastifyReply, fileName: string, file: Uint8Array) =>
  reply.header('content-disposition', `attachment; filename="${fileName}"`).type(PARQUET_TYPE).send(file) as never

const metadataOf = (disclosure: ReportDisclosure) => ({ key: 'disclosure', value: JSON.stringify(disclosure) })

const wholeNumber = (count: string | Figure | undefined) => (typeof count === 'number' ? BigInt(count) : null)
