import type { Static, TSchema } from 'typebox'
import type { FieldError } from '../../domain/errors.ts'
import { checkOf } from '../../http/lazy-schemas.ts'
import { listFieldErrors } from '../../http/violations.ts'
import type { RejectedEvent } from './validation.ts'

/** The body of an event. Malformed optional fields are left out or replaced. */
export interface ReadBody<T> {
  status: 'READ'
  value: T
  /** The fields that were left out or replaced, and why. */
  warnings: FieldError[]
}

/** Replaces a malformed value, with a message for the sender; null leaves the field out. */
export type Substitute = (value: unknown) => { value: unknown; message: string } | null

/**
 * Reads bodies of events. A malformed optional field never gets the event rejected: it is left out or replaced, with a warning.
 * Members that the schema does not name are left out.
 * @param options.substitutes keyed by the name of an optional field.
 * @param options.errorsMax how many errors of a rejected body are listed.
 */
export function createBodyReader<S extends TSchema>(
  schema: S,
  options: { substitutes?: Readonly<Record<string, Substitute>>; errorsMax?: number } = {},
): (body: unknown) => ReadBody<Static<S>> | RejectedEvent {
  const accepts = checkOf(schema)
  const namedIn = namedBy(schema as SchemaPart)
  const read = (body: unknown, warnings: FieldError[]): ReadBody<Static<S>> => {
    return { status: 'READ', value: namedIn(body) as Static<S>, warnings }
  }

  function withoutMalformed(part: SchemaPart, value: unknown, path: string, warnings: FieldError[]): unknown {
    if (part.items && Array.isArray(value) && value.length <= (part.maxItems ?? 0)) {
      return value.map((item, index) => withoutMalformed(part.items!, item, `${path}/${index}`, warnings))
    }
    if (!part.properties || typeof value !== 'object' || value === null) return value
    const kept: Record<string, unknown> = { ...value }
    for (const [name, property] of Object.entries(part.properties)) {
      if (!Object.hasOwn(kept, name)) continue
      const at = `${path}/${name}`
      if (part.required?.includes(name)) kept[name] = withoutMalformed(property, kept[name], at, warnings)
      else {
        const [wrong] = listFieldErrors(property as TSchema, kept[name], { max: 1 })
        if (!wrong) continue
        const instead = options.substitutes?.[name]?.(kept[name]) ?? null
        warnings.push({ path: at, message: instead?.message ?? `${wrong.message}: left out` })
        kept[name] = instead?.value
      }
    }
    return kept
  }

  return (body) => {
    if (accepts(body)) return read(body, [])
    const warnings: FieldError[] = []
    const value = withoutMalformed(schema as SchemaPart, body, '', warnings)
    if (warnings.length > 0 && accepts(value)) return read(value, warnings)
    const errors = listFieldErrors(schema, value, { max: options.errorsMax })
    return { status: 'REJECTED', code: 'INVALID', errors }
  }
}

/**
 * Makes a function that copies what a schema names of a value that it accepts. Nothing has checked what else a sender adds: left in,
 * it would be stored where another schema names it.
 */
function namedBy({ properties, items }: SchemaPart): (value: unknown) => unknown {
  if (items) {
    const copy = namedBy(items)
    return (list) => (list as unknown[]).map((item) => copy(item))
  }
  if (!properties) return (value) => value
  const members = Object.entries(properties).map(([name, part]) => [name, namedBy(part)] as const)
  return (value) => {
    const given = value as Record<string, unknown>
    const named: Record<string, unknown> = {}
    for (const [name, copy] of members) if (given[name] !== undefined) named[name] = copy(given[name])
    return named
  }
}

/** The keywords of a JSON schema that are read here. */
interface SchemaPart {
  properties?: Readonly<Record<string, SchemaPart>>
  required?: readonly string[]
  items?: SchemaPart
  maxItems?: number
}
