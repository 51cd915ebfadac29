import { AnalyticsRejected } from '../../port.ts'
import { SHARDED_BY } from './row-split.ts'

/**
 * How the statements of migrations are translated for a cluster. A MergeTree table `t` becomes `t_local` on every server, replicated
 * where shards have replicas, and a Distributed table `t` over these, which all queries name. So the same migrations serve one server
 * and a cluster.
 */
export interface ClusterLayout {
  cluster: string
  /** The database that holds the tables. */
  database: string
  /** Rows stay on the shard where they were stored, so the comment of each table records the number of shards. */
  shards: number
  /** Whether shards have more than one server. */
  isReplicated: boolean
}

export const shardsComment = (shards: number): string => `over ${shards} shards`

export type StatementPlacement =
  /** ONE_SERVER: the statement runs unchanged, on any one server. */
  { on: 'ONE_SERVER' } | { on: 'EVERY_SERVER'; statements: string[] }

/** Tables that each server keeps for itself: who may store there, and which migrations were applied there. */
export const PER_SERVER: ReadonlySet<string> = new Set(['fences', 'pauses', 'migrations'])

/** The text after ENGINE in the definition of each Distributed table, by the table's name. */
export type ShardedTables = ReadonlyMap<string, string>

const CREATE_TABLE =
  /^CREATE\s+TABLE\s+(IF\s+NOT\s+EXISTS\s+)?`?(\w+)`?\s*(\([\s\S]*?\))\s*ENGINE\s*=\s*(\w*MergeTree)\b([\s\S]*)$/i
const CREATE_VIEW = /^CREATE\s+(OR\s+REPLACE\s+)?(MATERIALIZED\s+)?VIEW\b/i
const VIEW_INTO = /\bTO\s+`?\w+`?/i
const CHANGE_TABLE =
  /^(ALTER\s+TABLE|TRUNCATE\s+TABLE|DROP\s+TABLE|OPTIMIZE\s+TABLE|DELETE\s+FROM)\s+(IF\s+EXISTS\s+)?`?(\w+)`?([\s\S]*)$/i
const CHANGES_COLUMNS = /\bCOLUMN\b/i
const UNKNOWN_CHANGE =
  /^(RENAME|EXCHANGE|ATTACH|DETACH|UNDROP|MOVE|REPLACE|CREATE)\s+(OR\s+REPLACE\s+)?(TABLE|TABLES|DICTIONARY)\b/i

export const localName = (table: string): string => `${table}_local`

/** Where a statement runs, and in which form. `sharded` has the Distributed tables that exist so far. */
export function placementOf(sql: string, layout: ClusterLayout, sharded: ShardedTables): StatementPlacement {
  const statement = sql.trim()
  const created = statement.match(CREATE_TABLE)
  if (created) return { on: 'EVERY_SERVER', statements: createdTable(statement, created, layout) }
  if (CREATE_VIEW.test(statement)) return { on: 'EVERY_SERVER', statements: [createdView(statement, sharded)] }
  const changed = statement.match(CHANGE_TABLE)
  if (changed) return changedTable(statement, changed, sharded)
  if (UNKNOWN_CHANGE.test(statement) && namedIn(statement, sharded)) {
    throw new AnalyticsRejected(`A cluster has no way to do this: ${statement.slice(0, 200)}`)
  }
  return { on: 'ONE_SERVER' }
}

function createdTable(statement: string, parts: RegExpMatchArray, layout: ClusterLayout): string[] {
  const [, ifNotExists = '', table, columns, engine, rest] = parts as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  if (PER_SERVER.has(table)) return [statement]
  const { cluster, database, shards, isReplicated } = layout
  const local = `CREATE TABLE ${ifNotExists}${localName(table)} ${columns} ENGINE = `
  const key = new RegExp(`\\b${SHARDED_BY}\\s`).test(columns) ? `CRC32(${SHARDED_BY})` : '0'
  return [
    local + (isReplicated ? replicated(table, engine, rest, database) : engine + rest),
    `CREATE TABLE ${ifNotExists}${table} AS ${localName(table)} ENGINE = Distributed('${cluster}', '${database}', '${localName(table)}', ${key}) COMMENT '${shardsComment(shards)}'`,
  ]
}

function replicated(table: string, engine: string, rest: string, database: string): string {
  const [, own = '', after] = rest.match(/^\s*(?:\(((?:[^()]|\([^()]*\))*)\))?([\s\S]*)$/) as unknown as [
    string,
    string?,
    string?,
  ]
  const place = `'/clickhouse/tables/{shard}/${database}/${table}', '{replica}'`
  const others = own.trim() === '' ? '' : `, ${own}`
  return `Replicated${engine}(${place}${others})${after!.replaceAll('non_replicated_deduplication_window', 'replicated_deduplication_window')}`
}

/** A view reads Distributed tables. A materialized view takes the rows that its server stores, and stores its own on that server. */
function createdView(statement: string, sharded: ShardedTables): string {
  const [, , materialized] = statement.match(CREATE_VIEW)!
  if (!materialized) return statement
  if (!VIEW_INTO.test(statement))
    throw new AnalyticsRejected('On a cluster a materialized view names the table that it fills')
  return localized(statement, sharded)
}

function changedTable(statement: string, parts: RegExpMatchArray, sharded: ShardedTables): StatementPlacement {
  const [, verb, ifExists = '', table, rest] = parts as unknown as [string, string, string, string, string]
  if (PER_SERVER.has(table)) return { on: 'EVERY_SERVER', statements: [statement] }
  const engine = sharded.get(table)
  if (engine === undefined) return { on: 'ONE_SERVER' }
  const local = `${verb} ${ifExists}${localName(table)}${rest}`
  if (/^DROP/i.test(verb)) return { on: 'EVERY_SERVER', statements: [statement, local] }
  if (!/^ALTER/i.test(verb) || !CHANGES_COLUMNS.test(rest)) return { on: 'EVERY_SERVER', statements: [local] }
  const distributed = `CREATE OR REPLACE TABLE ${table} AS ${localName(table)} ENGINE = ${engine}`
  return { on: 'EVERY_SERVER', statements: [local, distributed] }
}

const NAMED = /\b(FROM|JOIN|INTO|TO|TABLE)(\s+)(`?)(\w+)\3/gi

/** The statement with local tables in place of Distributed ones. */
export const localized = (statement: string, sharded: ShardedTables): string =>
  statement.replace(NAMED, (all, word: string, space: string, _, table: string) =>
    sharded.has(table) ? `${word}${space}${localName(table)}` : all,
  )

const namedIn = (statement: string, sharded: ShardedTables): boolean =>
  [...statement.matchAll(/\w+/g)].some(([word]) => sharded.has(word))
