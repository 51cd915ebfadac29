/**
 * Fingerprints of Avro schemas, as the Avro 1.12 specification defines them: "Parsing Canonical Form for Schemas" and
 * "Schema Fingerprints" (CRC-64-AVRO).
 */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

const EMPTY = 0xc15d213aa4d7a795n

const table = Array.from({ length: 256 }, (_, byte) => {
  let fingerprint = BigInt(byte)
  for (let bit = 0; bit < 8; bit++) fingerprint = (fingerprint >> 1n) ^ (EMPTY & -(fingerprint & 1n))
  return fingerprint
})

/** CRC-64-AVRO of some bytes, as an unsigned 64-bit integer. */
export function crc64Avro(bytes: Uint8Array): bigint {
  let fingerprint = EMPTY
  for (const byte of bytes) fingerprint = (fingerprint >> 8n) ^ table[Number((fingerprint ^ BigInt(byte)) & 0xffn)]!
  return fingerprint
}

/** Parsing Canonical Form of a schema: only the parts that decide how its values are laid out. */
export function canonicalForm(schema: unknown): string {
  return JSON.stringify(canonical(schema as Json, ''))
}

/** The fingerprint that names a schema in single-object encoding. */
export function fingerprintOf(schema: unknown): bigint {
  return crc64Avro(Buffer.from(canonicalForm(schema)))
}

const PRIMITIVES = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'])
/** Attributes that stay, in the order that the specification demands. */
const KEPT = ['name', 'type', 'fields', 'symbols', 'items', 'values', 'size'] as const

function canonical(schema: Json, namespace: string): Json {
  if (typeof schema === 'string') return PRIMITIVES.has(schema) ? schema : qualified(schema, namespace)
  if (Array.isArray(schema)) return schema.map((branch) => canonical(branch, namespace))
  const attributes = schema as { [key: string]: Json }
  const { type, name } = attributes
  if (typeof type !== 'string') return canonical(type!, namespace)
  if (PRIMITIVES.has(type)) return type

  const outer = (attributes.namespace as string | undefined) ?? namespace
  const fullName = typeof name === 'string' ? qualified(name, outer) : ''
  const inner = fullName.includes('.') ? fullName.slice(0, fullName.lastIndexOf('.')) : namespace
  const result: { [key: string]: Json } = {}
  for (const attribute of KEPT) {
    const value = attributes[attribute]
    if (value === undefined) continue
    if (attribute === 'name') result.name = fullName
    else if (attribute === 'fields') result.fields = (value as Json[]).map((field) => canonicalField(field, inner))
    else if (attribute === 'items' || attribute === 'values') result[attribute] = canonical(value, inner)
    else result[attribute] = value
  }
  return result
}

function canonicalField(field: Json, namespace: string): Json {
  const { name, type } = field as { [key: string]: Json }
  return { name: name!, type: canonical(type!, namespace) }
}

function qualified(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`
}
