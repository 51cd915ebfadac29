import type { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { canonicalIds } from './canonical-ids.ts'
import { invalid, listFieldErrors } from './violations.ts'

/**
 * Checks a part of a request against its TypeBox schema; texts of paths, queries and headers are converted first. Ids reach the
 * handler in their canonical spelling.
 */
export const validatorCompiler = (({ schema, httpPart: context = 'body' }) => {
  const shape = Compile(schema)
  const canonical = canonicalIds(schema)
  return (given: unknown) => {
    const value = context === 'body' ? given : Value.Convert(schema, given)
    if (shape.Check(value)) return { value: canonical ? canonical(value) : value }
    return { error: invalid(listFieldErrors(schema, value, { context })) }
  }
}) satisfies typeof TypeBoxValidatorCompiler
