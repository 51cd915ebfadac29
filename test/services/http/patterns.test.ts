import { isSafePattern } from 'redos-detector'
import { describe, expect, it } from 'vitest'
import { ImportLine } from '../../../schemas/http/panel/shops/import.ts'
import { TEXT_PATTERN } from '../../../schemas/http/text.ts'
import { createWholeApi } from '../api/whole-api.ts'

/** Keywords that do not restrict a value. */
const ANNOTATIONS = ['x-uuid', 'description', 'contentMediaType', '$id', '$ref', 'deprecated', 'title']
/** Keywords that `listFieldErrors` knows. */
const KNOWN =
  'type enum const anyOf required properties additionalProperties minProperties maxProperties items minItems maxItems uniqueItems minLength maxLength format pattern minimum exclusiveMinimum maximum'

interface Schema extends Record<string, unknown> {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  additionalProperties?: boolean | Schema
}
interface Operation {
  requestBody?: { content: Record<string, { schema?: Schema }> }
  parameters?: { name: string; schema: Schema }[]
}

/** Every schema of a value that a caller may send, by its location. */
async function sentSchemas(): Promise<Map<string, Schema>> {
  const found = new Map<string, Schema>()
  function walk(schema: Schema | boolean | undefined, at: string): void {
    if (typeof schema !== 'object') return
    found.set(at, schema)
    for (const [name, part] of Object.entries(schema.properties ?? {})) walk(part, `${at}/${name}`)
    walk(schema.items, `${at}/items`)
    walk(schema.additionalProperties, `${at}/*`)
    schema.anyOf?.forEach((part, i) => void walk(part, `${at}/anyOf/${i}`))
  }
  const server = await createWholeApi()
  const { paths } = (await server.inject('/docs/json')).json<{ paths: Record<string, Record<string, Operation>> }>()
  await server.close()
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody, parameters = [] }] of Object.entries(operations)) {
      for (const { schema } of Object.values(requestBody?.content ?? {})) walk(schema, `${method} ${path}`)
      for (const { name, schema } of parameters) walk(schema, `${method} ${path}?${name}`)
    }
  }
  walk(ImportLine as unknown as Schema, 'a line of an import')
  return found
}

const schemas = await sentSchemas()
const withKeyword = (keyword: string) => [...schemas].filter(([, schema]) => schema[keyword] !== undefined)

describe('schemas of what strangers send', () => {
  it('are found', () => {
    expect(schemas.size).toBeGreaterThan(300)
    expect(withKeyword('pattern').length).toBeGreaterThan(30)
  })

  it('have only patterns that never go back, so that a match is linear', () => {
    const sources = new Set(withKeyword('pattern').map(([, { pattern }]) => String(pattern)))
    expect([...sources].filter((source) => !isSafePattern(source, { unicode: true }).safe)).toEqual([])
  })

  it('would show one that does', () => {
    const quadratic = '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$'
    expect(isSafePattern(quadratic, { unicode: true }).safe).toBe(false)
  })

  it('bound the length of what is matched against a format', () => {
    const unbounded = withKeyword('format').filter(([, { maxLength }]) => !(Number(maxLength) <= 500))
    expect(unbounded.map(([at]) => at)).toEqual([])
  })

  it('use no keyword that the list of problems does not know', () => {
    const known = new Set([...KNOWN.split(' '), ...ANNOTATIONS])
    const unknown = [...schemas].flatMap(([at, schema]) =>
      Object.keys(schema).flatMap((keyword) => (known.has(keyword) ? [] : [`${at}: ${keyword}`])),
    )
    expect(unknown).toEqual([])
  })
})

describe('text without control characters', () => {
  const pattern = new RegExp(TEXT_PATTERN, 'u')

  it.each(['a', ' a', 'a ', '\u00a0\u3000a', 'ą 😀', ' . '])('is %j', (text) => expect(pattern.test(text)).toBe(true))
  it.each(['', ' ', '\u00a0\u2003', 'a\n', '\ta', 'a\u0000', 'a\u007f', '\ufeff'])('is not %j', (text) =>
    expect(pattern.test(text)).toBe(false),
  )
})
