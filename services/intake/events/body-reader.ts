import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { FieldError } from '../../domain/errors.ts'
import { listFieldErrors } from '../../http/violations.ts'
import type { RejectedEvent } from './validation.ts'

/** The body of an event that may be judged, without what of it was malformed and need not be there. */
export interface ReadBody<T> {
  status: 'READ'
  value: T
  /** What was left out, and why. */
  warnings: FieldError[]
}

/** What stands in for a malformed value, and what is said of it; null: nothing does, and it is left out. */
export type Substitute = (value: unknown) => { value: unknown; message: string } | null

/**
 * Reads bodies of events. An optional member that is malformed never costs the event: it is left out with a warning.
 * @param options.substitutes by the names of optional members: what is read in the place of a malformed value.
 * @param options.errorsMax of a rejected body.
 */
export function createBodyReader<S extends TSchema>(
  schema: S,
  options: { substitutes?: Readonly<Record<string, Substitute>>; errorsMax?: number } = {},
): (body: unknown) => ReadBody<Static<S>> | RejectedEvent {
  const checker = Compile(schema)

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
    if (checker.Check(body)) return { status: 'READ', value: body as Static<S>, warnings: [] }
    const warnings: FieldError[] = []
    const value = withoutMalformed(schema as SchemaPart, body, '', warnings)
    if (warnings.length > 0 && checker.Check(value)) return { status: 'READ', value: value as Static<S>, warnings }
    const errors = listFieldErrors(schema, value, { max: options.errorsMax })
    return { status: 'REJECTED', code: 'INVALID', errors }
  }
}

/** What is looked at of a schema: the members of objects and the items of lists. */
interface SchemaPart {
  properties?: Readonly<Record<string, SchemaPart>>
  required?: readonly string[]
  items?: SchemaPart
  maxItems?: number
}
