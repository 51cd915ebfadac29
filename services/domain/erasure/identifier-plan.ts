import { currentSchema } from '../../../schemas/avro/schemas.ts'
import { type RecordName, type TopicName, topics } from '../../../schemas/topics.ts'
import { headerOf, isOfCurrentSchema } from '../../../schemas/wire/codec.ts'

/** How to skip, or read, a field of an Avro record. A plan holds these for all fields up to the last identifier. */
const STEP = { LONG: 0, BYTE: 1, TEXT: 2, OPTIONAL_TEXT: 3, IDENTIFIER: 4, OPTIONAL_IDENTIFIER: 5 } as const
type Step = (typeof STEP)[keyof typeof STEP]

const IDENTIFIERS: ReadonlySet<string> = new Set(['cid', 'uid'])

/** The subset of Avro schemas that may occur before an identifier. */
type Schema = string | readonly Schema[] | { type: Schema; name?: string; fields?: readonly Field[] }
interface Field {
  name: string
  type: Schema
}

const plans = new Map<RecordName, readonly Step[]>()

/**
 * Whether any identifier of a record passes a test. It reads the bytes without decoding the record, which is some ten times
 * as fast. Also true for a record of another schema version, which the caller then has to decode.
 */
export function someIdentifier(topic: TopicName, value: Buffer, test: (identifier: Uint8Array) => boolean): boolean {
  const name = topics[topic].record
  if (!isOfCurrentSchema(name, value)) return true
  let at = headerOf(name).length
  const long = () => {
    let result = 0
    let scale = 1
    for (;;) {
      const byte = value[at++] ?? 0
      result += (byte & 0x7f) * scale
      if (byte < 0x80) return result
      scale *= 128
    }
  }
  for (const step of planOf(name)) {
    if (step === STEP.LONG) long()
    else if (step === STEP.BYTE) at++
    else {
      const isOptional = step === STEP.OPTIONAL_TEXT || step === STEP.OPTIONAL_IDENTIFIER
      if (isOptional && long() === 0) continue
      // Zigzag encoding writes a length as twice its value.
      const end = long() / 2 + at
      const isIdentifier = step === STEP.IDENTIFIER || step === STEP.OPTIONAL_IDENTIFIER
      if (isIdentifier && test(value.subarray(at, end))) return true
      at = end
    }
  }
  return false
}

function planOf(name: RecordName): readonly Step[] {
  const known = plans.get(name)
  if (known) return known
  const steps = stepsOf(currentSchema(name) as Schema, '', new Map())
  const plan = steps.slice(
    0,
    steps.findLastIndex((step) => step === STEP.IDENTIFIER || step === STEP.OPTIONAL_IDENTIFIER) + 1,
  )
  if (plan.some((step) => step === null))
    throw new TypeError(`${name} has a field before an identifier that is not read`)
  plans.set(name, plan as Step[])
  return plan as Step[]
}

/** Null stands for a field that cannot be skipped, so that no identifier may come after it. */
function stepsOf(schema: Schema, field: string, named: Map<string, (Step | null)[]>): (Step | null)[] {
  const isIdentifier = IDENTIFIERS.has(field)
  if (typeof schema === 'string') {
    if (schema === 'string') return [isIdentifier ? STEP.IDENTIFIER : STEP.TEXT]
    if (schema === 'long' || schema === 'int') return [STEP.LONG]
    if (schema === 'boolean') return [STEP.BYTE]
    return named.get(schema) ?? [null]
  }
  if (Array.isArray(schema)) {
    const isText = schema.length === 2 && schema[0] === 'null' && schema[1] === 'string'
    return [isText ? (isIdentifier ? STEP.OPTIONAL_IDENTIFIER : STEP.OPTIONAL_TEXT) : null]
  }
  const { type, name, fields } = schema as Exclude<Schema, string | readonly Schema[]>
  const steps =
    type === 'record'
      ? fields!.flatMap((each) => stepsOf(each.type, each.name, named))
      : type === 'enum'
        ? [STEP.LONG]
        : stepsOf(type, field, named)
  if (name !== undefined) named.set(name, steps)
  return steps
}
