import type { RowBlock } from '../../infra/analytics/port.ts'
import { OP, SYMBOL_MAX_BYTES, type ValuePlan } from './row-binary.ts'

/** How the bytes of a record become those of a row: `row-binary.ts`. */
export interface RowPlan {
  /** The columns of the row, in the order of the record's fields. */
  columns: RowBlock['columns']
  fields: readonly ValuePlan[]
}

/** How the columns of a table differ from the fields of the record. */
export interface RowShape {
  /** Fields that the table does not have. */
  leftOut?: readonly string[]
  /** Fields whose value is a record, and whose own fields become columns. For each, the fields whose column has another name. */
  flattened?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The part of Avro's schema language that records use. */
type Schema = string | readonly Schema[] | SchemaObject
interface SchemaObject {
  type: Schema
  name?: string
  items?: Schema
  symbols?: readonly string[]
  fields?: readonly { name: string; type: Schema }[]
}

interface Planned {
  plan: ValuePlan
  /** The type in ClickHouse. */
  type: string
  /** The fields of a record. */
  parts: readonly (Planned & { name: string })[]
}

const PRIMITIVES = {
  boolean: [OP.BOOLEAN, 'Bool'],
  int: [OP.INT, 'Int32'],
  long: [OP.LONG, 'Int64'],
  double: [OP.DOUBLE, 'Float64'],
  string: [OP.STRING, 'String'],
} as const

/** @throws TypeError when the schema has a type that no topic of the sink has, such as a map. */
export function rowPlanOf(schema: object, { leftOut = [], flattened = {} }: RowShape = {}): RowPlan {
  const { parts } = planned(schema as Schema, new Map())
  const columns = parts.flatMap(({ name, type, parts: inner }) => {
    if (leftOut.includes(name)) return []
    const names = flattened[name]
    return names ? inner.map((each) => ({ name: names[each.name] ?? each.name, type: each.type })) : [{ name, type }]
  })
  const fields = parts.map(({ name, plan }) => (leftOut.includes(name) ? { ...plan, isLeftOut: true } : plan))
  return { columns, fields }
}

/** @param named the types that the schema has defined so far; it refers to them by name from then on. */
function planned(schema: Schema, named: Map<string, Planned>): Planned {
  if (Array.isArray(schema)) return nullable(schema, named)
  if (typeof schema !== 'string') return defined(schema as SchemaObject, named)
  const known = named.get(schema)
  if (known) return known
  const primitive = PRIMITIVES[schema as keyof typeof PRIMITIVES]
  if (!primitive) throw new TypeError(`${schema} has no place in a row`)
  return of(primitive[0], primitive[1])
}

function defined({ type, name, items, symbols, fields }: SchemaObject, named: Map<string, Planned>): Planned {
  const remember = (each: Planned) => {
    named.set(name!, each)
    return each
  }
  if (type === 'enum') return remember(of(OP.ENUM, 'String', { symbols: symbols!.map(symbolBytes) }))
  if (type === 'array') {
    const item = planned(items!, named)
    return of(OP.ARRAY, `Array(${item.type})`, { parts: [item.plan] })
  }
  if (type !== 'record') return planned(type, named)
  const parts = fields!.map((each) => ({ name: each.name, ...planned(each.type, named) }))
  const elements = parts.map((each) => `\`${each.name}\` ${each.type}`).join(', ')
  return remember({ ...of(OP.RECORD, `Tuple(${elements})`, { parts: parts.map(({ plan }) => plan) }), parts })
}

function nullable([first, second, ...others]: readonly Schema[], named: Map<string, Planned>): Planned {
  if (first !== 'null' || others.length > 0) throw new TypeError('Of unions, a row takes null and one other')
  const value = planned(second!, named)
  return of(OP.NULLABLE, `Nullable(${value.type})`, { parts: [value.plan] })
}

function of(op: ValuePlan['op'], type: string, inner: Partial<ValuePlan> = {}): Planned {
  return { plan: { op, parts: [], symbols: [], isLeftOut: false, ...inner }, type, parts: [] }
}

function symbolBytes(symbol: string): Uint8Array {
  if (symbol.length > SYMBOL_MAX_BYTES) throw new TypeError(`${symbol} is too long for a symbol`)
  return Buffer.from(`${String.fromCharCode(symbol.length)}${symbol}`)
}
