import type { FastifySchemaValidationError } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { listFieldErrors } from '../../services/violations.ts'

const schema = Compile(
  Type.Object(
    {
      name: Type.String({ minLength: 1, pattern: '\\S' }),
      kind: Type.Enum(['A', 'B']),
      count: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
      place: Type.Optional(Type.Object({ 'a/b': Type.String() }, { additionalProperties: false })),
      either: Type.Optional(Type.Union([Type.String(), Type.Object({ id: Type.String() })])),
    },
    { additionalProperties: false },
  ),
)
const listed = (value: unknown, context = 'body') =>
  listFieldErrors(schema.Errors(value) as FastifySchemaValidationError[], context).map((e) => `${e.path} ${e.message}`)

describe('what a schema finds wrong', () => {
  it('names every missing property at its own path', () => {
    expect(listed({})).toEqual(['/name is required', '/kind is required'])
  })

  it('names every unknown property once', () => {
    expect(listed({ name: 'a', kind: 'A', x: 1, y: 2, place: { 'a/b': '', 'c/d': 1 } })).toEqual([
      '/x is not a property that can be set here',
      '/y is not a property that can be set here',
      '/place/c~1d is not a property that can be set here',
    ])
  })

  it('says what is allowed', () => {
    expect(listed({ name: '', kind: 'C', count: 1.5 })).toEqual([
      '/name must not have fewer than 1 characters',
      '/kind must be one of A, B',
      '/count must be integer or null',
    ])
    expect(listed({ name: ' ', kind: 'A' })).toEqual(['/name must hold text'])
  })

  it('does not repeat itself for alternatives', () => {
    expect(listed({ name: 'a', kind: 'A', either: 1 })).toEqual(['/either must be string', '/either must be object'])
  })

  it('names the part of the request, unless it is the body', () => {
    expect(listed(7)).toEqual(['/ must be object'])
    expect(listed({ name: 'a' }, 'querystring')).toEqual(['querystring/kind is required'])
  })

  it('lists up to a hundred', () => {
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, i]))
    expect(listed({ name: 'a', kind: 'A', ...unknown })).toHaveLength(60)
  })
})
