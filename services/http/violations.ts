import type { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import type { TSchema } from 'typebox'
import Format from 'typebox/format'
import { Guard } from 'typebox/guard'
import { Value } from 'typebox/value'
import {
  CAPITAL_COUNTRY_PATTERN,
  CAPITAL_CURRENCY_PATTERN,
  COUNTRY_PATTERN,
  CURRENCY_PATTERN,
  LOCALE_PATTERN,
  NO_CONTROL_PATTERN,
  TEXT_LINES_PATTERN,
  TEXT_PATTERN,
  UUID_PATTERN,
} from '../../schemas/http/text.ts'
import { ERRORS_LISTED_MAX, type FieldError, fieldProblem, type Problem } from '../domain/errors.ts'
import { canonicalIds } from './canonical-ids.ts'
import { checkOf } from './lazy-schemas.ts'

/**
 * Checks a part of a request against its TypeBox schema; texts of paths, queries and headers are converted first. Ids reach the
 * handler in their canonical spelling.
 */
export const validatorCompiler = (({ schema, httpPart: context = 'body' }) => {
  const accepts = checkOf(schema)
  const canonical = canonicalIds(schema)
  return (given: unknown) => {
    const value = context === 'body' ? given : Value.Convert(schema, given)
    if (accepts(value)) return { value: canonical ? canonical(value) : value }
    return { error: invalid(listFieldErrors(schema, value, { context })) }
  }
}) satisfies typeof TypeBoxValidatorCompiler

/** The answer to a request that is not valid. */
export function invalid(errors: readonly FieldError[]): Problem {
  return fieldProblem('INVALID', errors)
}

/** The JSON Schema keywords that our schemas use. */
interface Shape {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Shape[]
  required?: string[]
  properties?: Record<string, Shape>
  additionalProperties?: boolean | Shape
  minProperties?: number
  maxProperties?: number
  items?: Shape
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  format?: string
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

/** Where the path of an error begins, by the part of the request. */
const ROOTS: Readonly<Record<string, string>> = { body: '', headers: 'header' }

/**
 * What is wrong with a value that does not fit a schema: messages with the path of a field, at most `max` of them. The work ends
 * with the last one that is listed. TypeBox's own `Errors` computes every error of a body before it lists any.
 * @param options.context which part of the request the value is: body, querystring, params or headers.
 */
export function listFieldErrors(
  schema: TSchema,
  value: unknown,
  { context = 'body', max = ERRORS_LISTED_MAX }: { context?: string; max?: number } = {},
): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const error of violations(schema as Shape, value, ROOTS[context] ?? context)) {
    // The alternatives of a union may report the same error.
    errors.set(`${error.path}\n${error.message}`, { ...error, path: error.path || '/' })
    if (errors.size >= max) break
  }
  return [...errors.values()]
}

/** Checks a value as a whole before its parts: when the whole is wrong, its parts are not reported. */
function* violations(schema: Shape, value: unknown, path: string): Generator<FieldError> {
  const message = wholeFault(schema, value)
  if (message !== null) yield { path, message }
  else if (schema.anyOf) yield* alternativeViolations(schema.anyOf, value, path)
  else if (Array.isArray(value)) yield* itemViolations(schema, value, path)
  else if (typeof value === 'object' && value !== null) {
    yield* propertyViolations(schema, value as Record<string, unknown>, path)
  }
}

/** Yields nothing when one alternative fits, otherwise the violations of each. */
function* alternativeViolations(alternatives: readonly Shape[], value: unknown, path: string): Generator<FieldError> {
  if (alternatives.some((each) => violations(each, value, path).next().done)) return
  for (const each of alternatives) yield* violations(each, value, path)
}

function* itemViolations(
  { items, uniqueItems }: Shape,
  value: readonly unknown[],
  path: string,
): Generator<FieldError> {
  if (items) for (const [i, item] of value.entries()) yield* violations(items, item, `${path}/${i}`)
  if (uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
    yield { path, message: 'must not have duplicate items' }
  }
}

function* propertyViolations(schema: Shape, value: Record<string, unknown>, path: string): Generator<FieldError> {
  const { properties = {}, required = [], additionalProperties = true } = schema
  for (const [name, property] of Object.entries(properties)) {
    if (value[name] !== undefined) yield* violations(property, value[name], `${path}/${pointer(name)}`)
    else if (required.includes(name)) yield { path: `${path}/${pointer(name)}`, message: 'is required' }
  }
  if (additionalProperties === true) return
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) continue
    const at = `${path}/${pointer(name)}`
    if (additionalProperties === false) yield { path: at, message: 'is not a property that can be set here' }
    else yield* violations(additionalProperties, value[name], at)
  }
}

/** What is wrong with a value as a whole; null when nothing is. */
function wholeFault(schema: Shape, value: unknown): string | null {
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return `must be ${types.join(' or ')}`
  if (schema.enum && !schema.enum.includes(value)) return `must be one of ${schema.enum.map(String).join(', ')}`
  if (schema.const !== undefined && schema.const !== value) return `must be ${JSON.stringify(schema.const)}`
  if (typeof value === 'string') return textFault(schema, value)
  if (typeof value === 'number') return numberFault(schema, value)
  if (Array.isArray(value)) return countFault(value.length, schema.minItems, schema.maxItems, 'items')
  if (typeof value !== 'object' || value === null) return null
  const { minProperties, maxProperties } = schema
  if (minProperties === undefined && maxProperties === undefined) return null
  return countFault(Object.keys(value).length, minProperties, maxProperties, 'properties')
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

const patternWords: Readonly<Record<string, string>> = {
  [TEXT_PATTERN]: 'must contain text and no control characters',
  [TEXT_LINES_PATTERN]: 'must contain text',
  [NO_CONTROL_PATTERN]: 'must not contain control characters',
  [UUID_PATTERN]: 'must be a UUID',
  [CURRENCY_PATTERN]: 'must be a currency code of three letters (ISO 4217)',
  [CAPITAL_CURRENCY_PATTERN]: 'must be a currency code of three capital letters (ISO 4217)',
  [COUNTRY_PATTERN]: 'must be a country code of two letters (ISO 3166-1)',
  [CAPITAL_COUNTRY_PATTERN]: 'must be a country code of two capital letters (ISO 3166-1)',
  [LOCALE_PATTERN]: 'must be of the form language_COUNTRY',
}

const formatWords: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be an e-mail address',
  'date-time': 'must be an ISO 8601 time with an offset',
}

function textFault({ minLength = 0, maxLength = Infinity, format, pattern }: Shape, value: string): string | null {
  if (!Guard.IsMinLength(value, minLength)) return `must not have fewer than ${minLength} characters`
  if (maxLength < Infinity && !Guard.IsMaxLength(value, maxLength)) {
    return `must not have more than ${maxLength} characters`
  }
  if (format !== undefined && !Format.Test(format, value)) return formatWords[format] ?? `must match format "${format}"`
  if (pattern === undefined || patternOf(pattern).test(value)) return null
  return patternWords[pattern] ?? `must match pattern "${pattern}"`
}

const compiled = new Map<string, RegExp>()
/** Caches without a limit, because schemas have few patterns. */
function patternOf(source: string): RegExp {
  const known = compiled.get(source)
  if (known) return known
  const pattern = new RegExp(source, 'u')
  compiled.set(source, pattern)
  return pattern
}

function numberFault(shape: Shape, value: number): string | null {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = shape
  if (value < minimum) return `must be >= ${minimum}`
  if (value <= exclusiveMinimum) return `must be > ${exclusiveMinimum}`
  return value > maximum ? `must be <= ${maximum}` : null
}

function countFault(count: number, min = 0, max = Infinity, noun: 'items' | 'properties'): string | null {
  if (count < min) return `must not have fewer than ${min} ${noun}`
  return count > max ? `must not have more than ${max} ${noun}` : null
}

/** A name as a token of a JSON pointer. */
function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
