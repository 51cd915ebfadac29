import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * A check of values against a schema. It is compiled with the first value, because a process has hundreds of schemas and starts
 * before it needs one of them.
 */
export function checkOf<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  let compiled: { Check(value: unknown): boolean } | null = null
  return (value): value is Static<S> => {
    compiled ??= Compile(schema as TSchema)
    return compiled.Check(value)
  }
}

const buildSerializer = SerializerSelector()

/** Fastify's serializers of answers, each compiled with the first answer: for the same reason. */
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
