import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { DisplayBody } from '../../../schemas/http/display.ts'
import { DeprecatedTransactionBody, PageViewBody, TransactionBody } from '../../../schemas/http/events.ts'
import { ImportLine } from '../../../schemas/http/panel/shops/import.ts'
import { TechnicalSlotBody } from '../../../schemas/http/slots.ts'
import { SelectionBody, Targeting } from '../../../schemas/http/targeting.ts'
import { listFieldErrors } from '../../../services/http/violations.ts'
import { tries } from '../../effort.ts'

const schema = Type.Object(
  {
    name: Type.String({ minLength: 1, pattern: '\\S' }),
    kind: Type.Enum(['A', 'B']),
    count: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
    place: Type.Optional(Type.Object({ 'a/b': Type.String() }, { additionalProperties: false })),
    either: Type.Optional(Type.Union([Type.String(), Type.Object({ id: Type.String() })])),
    few: Type.Optional(Type.Array(Type.Object({ id: Type.String() }), { maxItems: 2, uniqueItems: true })),
  },
  { additionalProperties: false },
)
const listed = (value: unknown, options?: Parameters<typeof listFieldErrors>[2]) =>
  listFieldErrors(schema, value, options).map((e) => `${e.path} ${e.message}`)

describe('what a schema finds wrong', () => {
  it('names every missing property at its own path', () => {
    expect(listed({})).toEqual(['/name is required', '/kind is required'])
  })

  it('names every unknown property once', () => {
    expect(listed({ name: 'a', kind: 'A', x: 1, y: 2, place: { 'a/b': '', 'c/d': 1 } })).toEqual([
      '/place/c~1d is not a property that can be set here',
      '/x is not a property that can be set here',
      '/y is not a property that can be set here',
    ])
  })

  it('says what is allowed', () => {
    expect(listed({ name: '', kind: 'C', count: 1.5 })).toEqual([
      '/name must not have fewer than 1 characters',
      '/kind must be one of A, B',
      '/count must be integer or null',
    ])
    expect(listed({ name: ' ', kind: 'A' })).toEqual(['/name must contain text'])
    expect(listed({ name: 'a', kind: 'A', few: [{ id: 'a' }, { id: 'a' }] })).toEqual([
      '/few must not have duplicate items',
    ])
  })

  it('says in words what the usual patterns and formats of the API ask for', () => {
    const event = { eventId: 'e', kind: 'CART', products: [{ shopProductId: 'p', price: 1, quantity: 1 }] }
    const wrong = { ...event, shopId: 'a', currency: 'EURO', locale: 'polish', occurredAt: 'now' }
    const told = Object.fromEntries(listFieldErrors(TransactionBody, wrong).map(({ path, message }) => [path, message]))
    expect(told).toEqual({
      '/currency': 'must be a currency code of three letters (ISO 4217)',
      '/locale': 'must be of the form language_COUNTRY',
      '/occurredAt': 'must be an ISO 8601 time with an offset',
    })
    const targeting = { slotHash: 'a', adCount: 1, country: 'DEU' }
    expect(listFieldErrors(Targeting, targeting)).toEqual([
      { path: '/slotHash', message: 'must be a UUID' },
      { path: '/country', message: 'must be a country code of two letters (ISO 3166-1)' },
    ])
  })

  it('does not repeat itself for alternatives', () => {
    expect(listed({ name: 'a', kind: 'A', either: 1 })).toEqual(['/either must be string', '/either must be object'])
  })

  it('names the part of the request, unless it is the body', () => {
    expect(listed(7)).toEqual(['/ must be object'])
    expect(listed({ name: 'a' }, { context: 'querystring' })).toEqual(['querystring/kind is required'])
  })

  it('says of a list that is too long nothing else, and of other lists as much as is asked for', () => {
    expect(listed({ name: 'a', kind: 'A', few: [{}, {}, {}] })).toEqual(['/few must not have more than 2 items'])
    const unknown = Object.fromEntries(Array.from({ length: 160 }, (_, i) => [`p${i}`, i]))
    expect(listed({ name: 'a', kind: 'A', ...unknown })).toHaveLength(100)
    expect(listed({ name: 'a', kind: 'A', ...unknown }, { max: 5 })).toHaveLength(5)
  })

  it('ends its work with the last problem that is listed', () => {
    let read = 0
    const line = {
      get id() {
        read++
        return 7
      },
    }
    const lines = Type.Array(Type.Object({ id: Type.String() }))
    expect(listFieldErrors(lines, Array(10_000).fill(line), { max: 5 })).toHaveLength(5)
    expect(read).toBeLessThan(20)
  })
})

const bodies: Record<string, TSchema> = {
  SelectionBody,
  DisplayBody,
  TransactionBody,
  DeprecatedTransactionBody,
  PageViewBody,
  TechnicalSlotBody,
  ImportLine,
}

describe.each(Object.entries(bodies))('%s', (_, body) => {
  it('has problems if and only if TypeBox refuses the value', () => {
    const shape = Compile(body)
    fc.assert(
      fc.property(fittingOrNot(body), (value) => {
        const errors = listFieldErrors(body, value)
        expect(errors.length > 0).toBe(!shape.Check(value))
      }),
      { numRuns: tries(300, 3_000) },
    )
  })
})

/** Values that match the schema in most places, so that violations are found deep inside. */
function fittingOrNot(given: TSchema): fc.Arbitrary<unknown> {
  const shape = given as unknown as Record<string, never>
  return fc.oneof({ weight: 30, arbitrary: fitting(shape) }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
}

function fitting(shape: Record<string, never>): fc.Arbitrary<unknown> {
  const {
    enum: values,
    properties,
    required = [],
    items,
    type,
    minimum = 0,
    maximum = 2_000_000_000,
  } = shape as {
    enum?: unknown[]
    properties?: Record<string, TSchema>
    required?: string[]
    items?: TSchema
    type?: string | string[]
    minimum?: number
    maximum?: number
  }
  if (values) return fc.constantFrom(...values)
  switch ([type].flat()[0]) {
    case 'object': {
      const parts = Object.entries(properties ?? {}).map(([name, part]) => [name, fittingOrNot(part)] as const)
      const unknown = fc.option(fc.constant(1), { nil: undefined, freq: 40 })
      return fc
        .record({ ...Object.fromEntries(parts), unheardOf: unknown }, { requiredKeys: required as never[] })
        .map((value) => Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)))
    }
    case 'array':
      return fc.array(fittingOrNot(items!), { maxLength: 3 })
    case 'integer':
      return fc.integer({ min: minimum - 1, max: maximum })
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true })
    case 'boolean':
      return fc.boolean()
    default:
      return fc.constantFrom(
        'EUR',
        'pl_PL',
        '5.00 EUR',
        crypto.randomUUID(),
        '2026-01-01T00:00:00Z',
        'https://a.pl/',
        'ą😀',
        ' ',
        '',
      )
  }
}
