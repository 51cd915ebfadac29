import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { operationsOf, readOpenApi } from './document.ts'
import { createWholeApi } from './whole-api.ts'

interface Media {
  example?: unknown
  schema: { examples?: unknown[] }
}
interface Operation {
  operationId?: string
  tags: string[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}
interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}

let document: Document
let operations: [name: string, operation: Operation][]
beforeAll(async () => {
  document = await readOpenApi()
  operations = operationsOf(document)
})

const examplesOf = ({ example, schema }: Media) => [
  ...(example === undefined ? [] : [example]),
  ...(schema.examples ?? []),
]
const shown = () =>
  operations.flatMap(([name, { requestBody, responses }]) =>
    [requestBody, ...Object.values(responses)].flatMap((each) =>
      Object.values(each?.content ?? {}).flatMap((media) =>
        examplesOf(media).map((example) => ({ name, example, schema: media.schema })),
      ),
    ),
  )

describe('the API reference', () => {
  it('names every operation, each by a name of its own that generated clients can use', () => {
    const names = operations.map(([name, { operationId }]) => [name, operationId] as const)
    expect(names.filter(([, id]) => !/^[a-z]+([A-Z][a-z]+)*$/.test(id ?? ''))).toEqual([])
    expect(new Set(names.map(([, id]) => id)).size).toBe(names.length)
  })

  it('has each operation in one section, and no section without any', () => {
    const used = new Set(operations.map(([, { tags }]) => tags.join()))
    expect(used).toEqual(new Set(document.tags.map(({ name }) => name)))
    expect(document.tags.filter(({ description }) => !description)).toEqual([])
  })

  it('begins with what the pages of a shop call', () => {
    expect(document.tags.slice(0, 2).map(({ name }) => name)).toEqual(['Ads', 'Events'])
    const sectionOf = (name: string) => operations.find(([each]) => each === name)![1].tags
    expect(sectionOf('POST /v1/dsa/raw/batch')).toEqual(['Ads'])
    expect(sectionOf('POST /v1/dsa/view-event')).toEqual(['Events'])
    expect(sectionOf('GET /v1/panel/shops/{id}/synonyms')).toEqual(['Shops'])
  })

  it('shows examples that its own schemas allow', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
    const wrong = shown().flatMap(({ name, example, schema }) =>
      ajv.validate(schema, example) ? [] : [`${name}: ${ajv.errorsText()}`],
    )
    expect(wrong).toEqual([])
  })

  it.each([
    'POST /v1/dsa/raw/batch',
    'POST /v1/banner/dsa/raw/batch',
    'POST /v1/dsa/view-event',
    'POST /v1/ev/transaction',
    'POST /v1/ev/batch',
    'POST /v1/feed/product',
    'PUT /v1/slots/technical/{publisherSlotId}',
    'POST /v1/panel/campaigns',
  ])('shows an example of %s', (name) => {
    expect(shown().filter((each) => each.name === name)).not.toEqual([])
  })

  it('has a logo, an icon and a style of its own on its page', async () => {
    const server = await createWholeApi()
    onTestFinished(() => server.close())
    const { body } = await server.inject('/docs')
    const files = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file]) => file!)
    expect(files).toEqual(
      expect.arrayContaining([expect.stringContaining('icon.svg'), expect.stringContaining('docs.css')]),
    )
    for (const file of files) expect([file, (await server.inject(file)).statusCode]).toEqual([file, 200])
  })
})
