import fc from 'fast-check'

type Schema = string | Schema[] | { type: Schema; [attribute: string]: unknown }
type Named = Map<string, fc.Arbitrary<unknown>>

/** Any value that an Avro schema allows, as the codec represents it. A union of records is wrapped in the name of its branch. */
export function arbitraryOf(schema: unknown, named: Named = new Map()): fc.Arbitrary<unknown> {
  if (typeof schema === 'string') return named.get(schema) ?? primitives[schema]!
  if (Array.isArray(schema)) {
    const branches = schema.map((branch) => {
      const values = arbitraryOf(branch, named)
      return schema.length > 2 ? values.map((value) => ({ [`endcap.${branch.name}`]: value })) : values
    })
    return fc.oneof(...branches)
  }
  const { type, name } = schema as { type: Schema; name: string }
  const arbitrary = complex(type, schema as Record<string, unknown>, named)
  if (name) named.set(name, arbitrary)
  return arbitrary
}

const primitives: Record<string, fc.Arbitrary<unknown>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  int: fc.integer(),
  long: fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
  double: fc.double({ noNaN: true }),
  string: fc.string({ unit: 'binary' }),
  bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
}

function complex(type: Schema, schema: Record<string, unknown>, named: Named): fc.Arbitrary<unknown> {
  switch (type) {
    case 'record':
      return fc.record(
        Object.fromEntries(
          (schema.fields as { name: string; type: Schema }[]).map((each) => [each.name, arbitraryOf(each.type, named)]),
        ),
      )
    case 'enum':
      return fc.constantFrom(...(schema.symbols as string[]))
    case 'array':
      return fc.array(arbitraryOf(schema.items, named), { maxLength: 5 })
    case 'map':
      return fc.dictionary(fc.string(), arbitraryOf(schema.values, named), { maxKeys: 5, noNullPrototype: true })
    default:
      return arbitraryOf(type, named)
  }
}
