/** Worst-case bodies for a route, generated from its schema. */
import { randomUUID } from 'node:crypto'

export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  maxItems?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  format?: string
  pattern?: string
}

/** A name for the table, and the body. */
export type Attack = [name: string, body: string]

/** Ids of existing entities by property name, so that requests pass the first checks. */
export type KnownIds = Readonly<Record<string, string>>

const TEXTS = ['lamp', 'EUR', 'DE', 'de', 'pl_PL', '4.99 EUR', 'TITLE', '#ffffff', 'https://shop.example/a', '12']
/** Pieces whose repetition may be slow for patterns, formats, alphabets and counts of characters. */
const HOSTILE_PIECES = ['a', ' ', 'T', '\u0301', '😀', '\\', '"', '<', '%', '/', '>', '-', 'ﬃ', '\u0000', '𝒜']

/** Bodies that do not depend on the schema. */
export function anyBodies(bytes: number): Attack[] {
  const of = (piece: string) => piece.repeat(bytes / Buffer.byteLength(piece))
  const list = (item: (i: number) => string, isObject = false) => {
    const items: string[] = []
    for (let i = 0, length = 2; length < bytes - 20; i++) {
      items.push(item(i))
      length += items[i]!.length + 1
    }
    return isObject ? `{${items.join()}}` : `[${items.join()}]`
  }
  return [
    ['[[[[', of('[')],
    ['[[[[]]]]', '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
    ['{"a":{"a":', of('{"a":')],
    ['[{},{},', list(() => '{}')],
    ['[0,0,', list(() => '0')],
    ['[{"b":0},{"c":0},', list((i) => `{"${i.toString(36)}":0}`)],
    ['many names', list((i) => `"${i.toString(36)}":0`, true)],
    ['one name', list(() => '"a":0', true)],
    ['numbered names', list((i) => `"${i * 131_072}":0`, true)],
    ['one long number', '9'.repeat(bytes)],
    ['long numbers', list((i) => `${i}.${'9'.repeat(700)}e-300`)],
    ['one long text', JSON.stringify('a'.repeat(bytes - 2))],
    ['escapes', `"${of('\\u0041').slice(0, bytes - 2 - ((bytes - 2) % 6))}"`],
    ['surrogates', `"${of('\\ud800').slice(0, bytes - 2 - ((bytes - 2) % 6))}"`],
    ['blanks', `${of(' ').slice(2)}{}`],
    ['no JSON', of('a')],
  ]
}

/** Bodies that match the schema, and bodies that break it in one place. */
export function bodiesFor(schema: Schema, ids: KnownIds, bytes: number): Attack[] {
  const attacks: Attack[] = [
    ['fits', JSON.stringify(sample(schema, ids))],
    ['is full', JSON.stringify(full(schema, ids, bytes))],
  ]
  const padded = { ...(sample(schema, ids) as object) }
  for (const [at, part] of parts(schema)) {
    const put = (value: unknown) => JSON.stringify(replaced(padded, at, value))
    const name = at.join('/')
    if (isOf(part, 'array')) {
      const items: [string, unknown][] = [
        ['{}', {}],
        ['""', ''],
        ['0', 0],
        ['null', null],
        ['what fits', sample(part.items ?? {}, ids)],
      ]
      for (const [kind, item] of items) {
        const count = Math.floor((bytes - 2_000) / (JSON.stringify(item).length + 1))
        attacks.push([`${name}: ${kind}, too many`, put(Array(count).fill(item))])
        if (part.maxItems) attacks.push([`${name}: ${kind}`, put(Array(Math.min(count, part.maxItems)).fill(item))])
      }
    } else if (isOf(part, 'string')) {
      for (const piece of HOSTILE_PIECES) {
        const longest = `${piece.repeat((bytes - 2_000) / (JSON.stringify(piece).length + 2))}\u0001`
        attacks.push([`${name}: ${JSON.stringify(piece)}`, put(longest)])
        if (part.maxLength)
          attacks.push([`${name}: ${JSON.stringify(piece)} that fit`, put(longest.slice(0, part.maxLength))])
      }
    } else if (isOf(part, 'object')) {
      const names = Array.from({ length: bytes / 14 }, (_, i) => [i.toString(36), 0] as const)
      attacks.push([`${name}: many names`, put(Object.fromEntries(names))])
    }
  }
  return attacks.filter(([, body]) => Buffer.byteLength(body) <= bytes)
}

const isOf = ({ type }: Schema, wanted: string) => [type].flat().includes(wanted)

/** Every location in a body, with its schema. */
function* parts(schema: Schema, at: string[] = []): Generator<[string[], Schema]> {
  if (at.length > 0) yield [at, schema]
  for (const [name, part] of Object.entries(schema.properties ?? {})) yield* parts(part, [...at, name])
  if (schema.items) yield* parts(schema.items, [...at, '0'])
  for (const part of schema.anyOf ?? []) yield* parts(part, at)
}

function replaced(value: unknown, [name, ...rest]: string[], part: unknown): unknown {
  if (name === undefined) return part
  if (Array.isArray(value)) return value.map((item, i) => (i === Number(name) ? replaced(item, rest, part) : item))
  const object = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  return { ...object, [name]: replaced(object[name], rest, part) }
}

export function sample(schema: Schema, ids: KnownIds, name = ''): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sample(schema.anyOf.at(-1)!, ids, name)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, part]) => [
          key,
          sample(part, ids, key === 'id' ? name : key),
        ]),
      )
    case 'array':
      return [sample(schema.items ?? {}, ids, name)]
    case 'string':
      return textFor(schema, ids, name)
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 1)
    case 'boolean':
      return true
    default:
      return null
  }
}

function textFor({ format, pattern, maxLength = 1_000 }: Schema, ids: KnownIds, name: string): string {
  if (ids[name]) return ids[name]
  if (format === 'uuid') return randomUUID()
  if (format === 'date-time') return new Date().toISOString()
  if (format === 'email') return 'a@shop.example'
  const fits = (text: string) => text.length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(text))
  if (/url|link|href|referer/i.test(name)) return 'https://shop.example/a'
  return TEXTS.find(fits) ?? ''
}

/** A value whose lists and texts are as long as the schema and the body's size allow. */
function full(schema: Schema, ids: KnownIds, bytes: number, name = ''): unknown {
  if (schema.anyOf) return full(schema.anyOf.at(-1)!, ids, bytes, name)
  if (isOf(schema, 'object')) {
    const properties = Object.entries(schema.properties ?? {})
    const share = Math.max(10, (bytes - 100) / properties.length - 30)
    return Object.fromEntries(properties.map(([key, part]) => [key, full(part, ids, share, key === 'id' ? name : key)]))
  }
  if (isOf(schema, 'array')) {
    const items: unknown[] = []
    for (let room = bytes; room > 0 && items.length < (schema.maxItems ?? 1_000); ) {
      const item = numbered(
        full(schema.items ?? {}, ids, bytes / Math.min(schema.maxItems ?? 100, 100), name),
        items.length,
      )
      items.push(item)
      room -= JSON.stringify(item).length + 1
    }
    return items
  }
  const value = sample(schema, ids, name)
  if (!isOf(schema, 'string') || schema.enum || schema.format || ids[name] || schema.pattern?.startsWith('^[A-Za-z0-9'))
    return value
  const long = 'lamp żółta '
    .repeat(bytes)
    .slice(0, Math.min(schema.maxLength ?? 0, Math.max(1, bytes / 2)))
    .trim()
  return schema.pattern && !new RegExp(schema.pattern, 'u').test(long) ? value : long || value
}

/** Makes each text in a list different: repeated texts may be refused, or be known already. */
function numbered(value: unknown, i: number): unknown {
  return typeof value === 'string' ? `${i}${value}`.slice(0, value.length || 8) : value
}
