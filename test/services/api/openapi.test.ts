import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { operationsOf, readOpenApi } from './document.ts'

interface Operation {
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, unknown> }
  responses: Record<string, { content?: Record<string, unknown>; headers?: Record<string, unknown> }>
}

let document: { paths: Record<string, Record<string, Operation>> }
let operations: [name: string, operation: Operation][]
beforeAll(async () => {
  document = await readOpenApi()
  operations = operationsOf(document)
})
const operation = (name: string) => operations.find(([each]) => each === name)![1]
const successOf = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => /^2/.test(status))
const mediaTypes = (response: { content?: object } | undefined) => Object.keys(response?.content ?? {})

describe('the OpenAPI document', () => {
  it('is a valid one of version 3.1', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('says of every operation what it answers when all is well', () => {
    expect(operations.length).toBeGreaterThan(90)
    const silent = operations.filter(([, each]) =>
      successOf(each).every(([status, response]) => !/^20[245]$/.test(status) && mediaTypes(response).length === 0),
    )
    expect(silent.map(([name]) => name)).toEqual([])
  })

  it('says of every operation that errors are problem documents', () => {
    const others = operations.flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => /^[45]/.test(status) && name !== 'GET /health/ready')
        .flatMap(([status, response]) =>
          mediaTypes(response).join() === 'application/problem+json' ? [] : [`${name} ${status}`],
        ),
    )
    expect(others).toEqual([])
    for (const [name, { responses }] of operations) {
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['4XX', '5XX']))
    }
  })

  it('says of every operation that takes a body which', () => {
    const silent = operations.filter(([name, each]) => /^(PUT|PATCH)/.test(name) && !each.requestBody)
    expect(silent.map(([name]) => name)).toEqual([])
    const bodies = (name: string) => Object.keys(operation(name).requestBody!.content)
    expect(bodies('POST /v1/panel/feeds/{id}/content')).toContain('application/xml')
    expect(bodies('POST /v1/panel/import/transactions')).toContain('application/x-ndjson')
    expect(bodies('POST /v1/panel/images')).toEqual(['multipart/form-data'])
  })

  it.each([
    ['GET /v1/dsa/script.js', ['text/javascript']],
    ['GET /v1/dsa/formatted/{slotHash}/{elementId}/{row}/{col}', ['text/javascript']],
    ['GET /v1/images/{id}', ['image/png', 'image/jpeg', 'image/webp']],
    ['GET /v1/panel/reports', ['application/json', 'text/csv', 'application/vnd.apache.parquet']],
    ['GET /v1/panel/attributed-sales', ['application/x-ndjson', 'text/csv']],
    ['POST /v1/dsa/raw/batch', ['application/json']],
  ])('says what %s answers in', (name, types) => {
    const [[status, response]] = successOf(operation(name)) as [[string, Operation['responses'][string]]]
    expect([status, mediaTypes(response)]).toEqual(['200', types])
  })

  it.each(['DELETE /v1/slots/technical/{publisherSlotId}', 'DELETE /v1/panel/shops/{id}'])('%s: 204', (name) => {
    expect(successOf(operation(name)).map(([status, response]) => [status, mediaTypes(response)])).toEqual([
      ['204', []],
    ])
  })

  it.each([
    ['POST /v1/ev/transaction', true],
    ['POST /v1/events/purchase', true],
    ['POST /v1/events/cart', true],
    ['POST /v1/ev/batch', false],
    ['POST /v1/ev/page-view', false],
    ['POST /v1/dsa/view-event', false],
    ['POST /v1/dsa/raw/batch', false],
  ])('says whether %s requires a cid in the headers: %s', (name, required) => {
    const cid = operation(name).parameters!.find((each) => each.in === 'header' && each.name === 'cid')!
    expect(cid.required ?? false).toBe(required)
  })

  it('names the headers of ad answers', () => {
    const { headers } = operation('POST /v1/banner/dsa/raw/batch').responses['200']!
    expect(Object.keys(headers!)).toEqual(['request-id', 'endcap-limits'])
  })
})
