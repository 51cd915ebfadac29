import type { FastifySchemaValidationError } from 'fastify'
import { Settings } from 'typebox/system'
import { NO_CONTROL_PATTERN, TEXT_LINES_PATTERN, TEXT_PATTERN } from '../schemas/http/text.ts'
import type { FieldError } from './domain/errors.ts'

/** An answer lists so many problems; a longer list helps nobody. */
export const ERRORS_LISTED_MAX = 100

// TypeBox stops at 8 by default.
Settings.Set({ maxErrors: ERRORS_LISTED_MAX })

/** Where the path of an error begins, by the part of the request. */
const ROOTS: Readonly<Record<string, string>> = { body: '', headers: 'header' }

/**
 * What a schema found wrong, as one message for each field: a missing property is reported at its own path, an unknown one
 * too, and alternatives of a union do not repeat one another.
 * @param context which part of the request was checked: body, querystring, params or headers.
 */
export function listFieldErrors(violations: readonly FastifySchemaValidationError[], context: string): FieldError[] {
  const root = ROOTS[context] ?? context
  const seen = new Set<string>()
  return violations
    .filter((violation) => !isSummary(violation, violations))
    .flatMap((violation) => fieldErrors(violation, root))
    .filter(({ path, message }) => {
      const key = `${path}\n${message}`
      return !seen.has(key) && seen.add(key)
    })
}

/** Says again what other violations say of the same value or of its parts. */
function isSummary(violation: FastifySchemaValidationError, all: readonly FastifySchemaValidationError[]): boolean {
  const { keyword, instancePath } = violation
  if (keyword === 'additionalProperties') return true
  // What is too short needs no second reason.
  if (keyword === 'pattern')
    return all.some((other) => other.keyword === 'minLength' && other.instancePath === instancePath)
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return false
  return all.some((other) => other !== violation && other.instancePath.startsWith(instancePath))
}

function fieldErrors(
  { keyword, schemaPath, instancePath, params, message }: FastifySchemaValidationError,
  root: string,
) {
  const path = root + instancePath
  const missing = params.requiredProperties ?? params.missingProperty
  if (keyword === 'required' && missing !== undefined) {
    return [missing].flat().map((name) => ({ path: `${path}/${name}`, message: 'is required' }))
  }
  if (keyword === 'boolean' && schemaPath.endsWith('/additionalProperties')) {
    return [{ path, message: 'is not a property that can be set here' }]
  }
  return [{ path: path || '/', message: wording(keyword, params, message) }]
}

const patternWords: Record<string, string> = {
  [TEXT_PATTERN]: 'must hold text, and no control characters',
  [TEXT_LINES_PATTERN]: 'must hold text',
  [NO_CONTROL_PATTERN]: 'must hold no control characters',
}

function wording(keyword: string, params: Record<string, unknown>, message = 'is not valid'): string {
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.map(String).join(', ')}`
  }
  if (keyword === 'pattern') return patternWords[String(params.pattern)] ?? message
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`
  return message
}
