import type { TSchema } from 'typebox'
import { canonicalId } from '../domain/identity/uuid.ts'

type Canonical = (value: unknown) => unknown

/** The keywords of a JSON schema that are read here. */
interface Part {
  format?: string
  'x-uuid'?: boolean
  properties?: Readonly<Record<string, Part>>
  items?: Part
  anyOf?: readonly Part[]
}

/**
 * Makes a function that spells the ids of a value canonically, wherever the schema has one (`format: 'uuid'` or `x-uuid`).
 * Null when the schema has none.
 */
export const canonicalIds = (schema: TSchema): Canonical | null => ofPart(schema as Part)

function ofPart(schema: Part): Canonical | null {
  if (schema.format === 'uuid' || schema['x-uuid']) {
    return (value) => (typeof value === 'string' ? canonicalId(value) : value)
  }
  if (schema.properties) return ofMembers(schema.properties)
  if (schema.items) return ofItems(schema.items)
  return schema.anyOf?.map(ofPart).find((each) => each !== null) ?? null
}

function ofMembers(properties: Readonly<Record<string, Part>>): Canonical | null {
  const members = Object.entries(properties).flatMap(([name, part]) => {
    const canonical = ofPart(part)
    return canonical ? [[name, canonical] as const] : []
  })
  if (members.length === 0) return null
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const given = value as Record<string, unknown>
    const spelt = members.filter(([name]) => Object.hasOwn(given, name)).map(([name, of]) => [name, of(given[name])])
    return { ...given, ...Object.fromEntries(spelt) }
  }
}

function ofItems(items: Part): Canonical | null {
  const canonical = ofPart(items)
  return canonical && ((value) => (Array.isArray(value) ? value.map(canonical) : value))
}
