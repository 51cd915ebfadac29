import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * Makes a check of values against a schema. It is compiled when the first value is checked, because a process has hundreds of
 * schemas and must not compile them all before it starts.
 */
export function checkOf<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  let compiled: { Check(value: unknown): boolean } | null = null
  return (value): value is Static<S> => {
    compiled ??= Compile(schema as TSchema)
    return compiled.Check(value)
  }
}

const buildSerializer = SerializerSelector()

/** Fastify's serializers of answers. Each is compiled at the first answer, for the same reason. */
export const lazySerializers: typeof buildSerializer = (schemas, options) => {
  const compile = buildSerializer(schemas, options)
  return (route) => {
    let serialize: ((value: unknown) => string) | null = null
    return (value) => {
      serialize ??= compile(route)
      return serialize(value)
    }
  }
}
