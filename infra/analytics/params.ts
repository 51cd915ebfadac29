import { AnalyticsRejected, type QueryParams } from './port.ts'

const PLACEHOLDER = /\{(\w+):/g
const TYPED_PLACEHOLDER = /\{(\w+):([^{}]+)\}/g
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * A `SET` statement that gives `sql` its `{name:Type}` parameters, for an engine that has no other way to pass them; empty when
 * `sql` has none. The session remembers parameters, so a name that `params` lacks would get the value of an earlier statement.
 * @throws AnalyticsRejected for a name that `params` lacks, and for one that no parameter can have.
 */
export function paramStatement(sql: string, params: QueryParams): string {
  for (const name of Object.keys(params)) {
    if (!NAME.test(name)) throw new AnalyticsRejected(`${name} cannot be a parameter's name`)
  }
  const used = new Set(Array.from(sql.matchAll(PLACEHOLDER), ([, name]) => name!))
  const values = Array.from(used, (name) => {
    if (!Object.hasOwn(params, name)) throw new AnalyticsRejected(`Parameter ${name} is not set`)
    return `param_${name} = ${quoted(textOf(params[name]!))}`
  })
  return values.length === 0 ? '' : `SET ${values.join(', ')};`
}

/**
 * `sql` with a literal in the place of each `{name:Type}`. The server takes parameters of a request in fields of at most
 * 128 KiB (a list of some 3,300 UUIDs); a literal may be as long as the statement.
 * @throws AnalyticsRejected for a name that `params` lacks.
 */
export function withLiterals(sql: string, params: QueryParams): string {
  return sql.replace(TYPED_PLACEHOLDER, (_, name: string, type: string) => {
    if (!Object.hasOwn(params, name)) throw new AnalyticsRejected(`Parameter ${name} is not set`)
    return `CAST(${sqlLiteralOf(params[name]!)}, ${quoted(type)})`
  })
}

/** A list is written as one string, so that it is a single literal to the server however long it is. */
function sqlLiteralOf(value: QueryParams[string]): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'object') return quoted(`[${value.map(literalOf).join(',')}]`)
  return typeof value === 'boolean' ? String(value) : quoted(String(value))
}

/** The text form that ClickHouse parses a parameter from (TabSeparated escaping). */
function textOf(value: QueryParams[string]): string {
  if (value === null || value === undefined) return '\\N'
  if (typeof value === 'object') return `[${value.map(literalOf).join(',')}]`
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'number' ? String(value) : escaped(value)
}

function literalOf(value: string | number): string {
  return typeof value === 'number' ? String(value) : quoted(value)
}

/** A string literal of SQL. */
export function quoted(text: string): string {
  return `'${escaped(text)}'`
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\\0' }

function escaped(text: string): string {
  return text.replace(/[\\'\t\n\r\0]/g, (character) => ESCAPES[character]!)
}
