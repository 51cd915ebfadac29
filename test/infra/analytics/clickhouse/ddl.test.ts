import { describe, expect, it } from 'vitest'
import { type ClusterLayout, localized, placementOf } from '../../../../infra/analytics/clickhouse/cluster/ddl.ts'
import { migrationFiles, statementsIn } from '../../../../infra/analytics/migrate.ts'
import { endingSteps } from '../../../../infra/analytics/queries/people/ended-identifiers.ts'

const REPLICATED: ClusterLayout = { cluster: 'main', database: 'endcap', shards: 2, isReplicated: true }
const PLAIN = { ...REPLICATED, isReplicated: false }
const NONE = new Map<string, string>()
const KNOWN = new Map([['sales', "Distributed('main', 'endcap', 'sales_local', CRC32(shopId))"]])

const statements = (sql: string, layout = REPLICATED, known: ReadonlyMap<string, string> = NONE) => {
  const placement = placementOf(sql, layout, known)
  return placement.on === 'EVERY_SERVER' ? placement.statements : null
}

describe('a table on a cluster', () => {
  // https://clickhouse.com/docs/engines/table-engines/mergetree-family/replication: the engine's own arguments come after the
  // path in Keeper and the name of the replica. https://clickhouse.com/docs/engines/table-engines/special/distributed.
  it('is replicated, with its own arguments and settings kept, and has a Distributed table over it', () => {
    const sql = `CREATE TABLE IF NOT EXISTS lines (
      shopId String, n Int64, SIZE Int64 MATERIALIZED length(shopId), INDEX by_n (n) TYPE minmax GRANULARITY 1
    ) ENGINE = ReplacingMergeTree(version, deleted)
    PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(n, 'UTC'))
    ORDER BY (shopId, n)
    SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1`
    expect(statements(sql)).toEqual([
      `CREATE TABLE IF NOT EXISTS lines_local (
      shopId String, n Int64, SIZE Int64 MATERIALIZED length(shopId), INDEX by_n (n) TYPE minmax GRANULARITY 1
    ) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/endcap/lines', '{replica}', version, deleted)
    PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(n, 'UTC'))
    ORDER BY (shopId, n)
    SETTINGS replicated_deduplication_window = 10000, fsync_after_insert = 1`,
      "CREATE TABLE IF NOT EXISTS lines AS lines_local ENGINE = Distributed('main', 'endcap', 'lines_local', CRC32(shopId)) COMMENT 'over 2 shards'",
    ])
  })

  it('is a plain one where shards have no replicas, and lies on the first shard when it has no shops', () => {
    expect(statements('CREATE TABLE t (id String) ENGINE = MergeTree ORDER BY id', PLAIN)).toEqual([
      'CREATE TABLE t_local (id String) ENGINE = MergeTree ORDER BY id',
      "CREATE TABLE t AS t_local ENGINE = Distributed('main', 'endcap', 't_local', 0) COMMENT 'over 2 shards'",
    ])
    expect(statements('CREATE TABLE t (id String) ENGINE = MergeTree() ORDER BY id')![0]).toBe(
      "CREATE TABLE t_local (id String) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/endcap/t', '{replica}') ORDER BY id",
    )
    expect(statements('CREATE TABLE t (id String, n Int64) ENGINE = SummingMergeTree((n)) ORDER BY id')![0]).toContain(
      "ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/endcap/t', '{replica}', (n)) ORDER BY id",
    )
  })

  it('stays with one server in memory, and on each server by itself for fences and migrations', () => {
    expect(placementOf('CREATE TABLE scratch (n Int64) ENGINE = Memory', REPLICATED, NONE)).toEqual({
      on: 'ONE_SERVER',
    })
    const fences =
      'CREATE TABLE IF NOT EXISTS fences (scope String, epoch Int64) ENGINE = ReplacingMergeTree(epoch) ORDER BY scope'
    expect(statements(fences)).toEqual([fences])
  })

  it('is changed where its rows are; the Distributed table follows a change of columns', () => {
    expect(statements('ALTER TABLE sales ADD COLUMN IF NOT EXISTS n Int64', PLAIN, KNOWN)).toEqual([
      'ALTER TABLE sales_local ADD COLUMN IF NOT EXISTS n Int64',
      "CREATE OR REPLACE TABLE sales AS sales_local ENGINE = Distributed('main', 'endcap', 'sales_local', CRC32(shopId))",
    ])
    for (const [sql, local] of [
      ['ALTER TABLE sales MODIFY TTL d + INTERVAL 1 DAY', 'ALTER TABLE sales_local MODIFY TTL d + INTERVAL 1 DAY'],
      ['ALTER TABLE sales DROP PARTITION 5', 'ALTER TABLE sales_local DROP PARTITION 5'],
      ['TRUNCATE TABLE IF EXISTS sales', 'TRUNCATE TABLE IF EXISTS sales_local'],
      ['OPTIMIZE TABLE sales FINAL', 'OPTIMIZE TABLE sales_local FINAL'],
      ["DELETE FROM sales WHERE n = 'x'", "DELETE FROM sales_local WHERE n = 'x'"],
    ] as const) {
      expect(statements(sql, REPLICATED, KNOWN), sql).toEqual([local])
    }
    expect(statements('DROP TABLE sales SYNC', PLAIN, KNOWN)).toEqual([
      'DROP TABLE sales SYNC',
      'DROP TABLE sales_local SYNC',
    ])
    expect(statements('TRUNCATE TABLE scratch', PLAIN, KNOWN)).toBeNull()
  })

  it('forgets on every server whose its rows are, by the people of all shards', () => {
    const until = Date.parse('2026-03-01T00:00:00Z')
    for (const { statement } of endingSteps(until).flat()) {
      const [, table] = statement.match(/^ALTER TABLE (\w+) /)!
      const known = new Map([table!, 'touches', 'transactions_by_person'].map((name) => [name, 'Distributed()']))
      const local = statement.replace(/^ALTER TABLE \w+/, (start) => `${start}_local`)
      expect(statements(statement, REPLICATED, known)).toEqual([local])
      // https://clickhouse.com/docs/operations/settings/settings#allow_nondeterministic_mutations
      expect(local).toContain('allow_nondeterministic_mutations = 1')
    }
  })

  it('is read by views as a whole, and by materialized views on each server', () => {
    const view = 'CREATE OR REPLACE VIEW v AS SELECT * FROM sales'
    expect(statements(view, PLAIN, KNOWN)).toEqual([view])
    const into = 'CREATE MATERIALIZED VIEW m TO sales AS SELECT * FROM sales JOIN other'
    expect(statements(into, PLAIN, KNOWN)).toEqual([
      'CREATE MATERIALIZED VIEW m TO sales_local AS SELECT * FROM sales_local JOIN other',
    ])
    expect(() => placementOf('CREATE MATERIALIZED VIEW m ENGINE = MergeTree AS SELECT 1', PLAIN, KNOWN)).toThrow()
    expect(localized('INSERT INTO sales SELECT * FROM `sales`', KNOWN)).toBe(
      'INSERT INTO sales_local SELECT * FROM sales_local',
    )
  })

  it('is not renamed, which would leave its replicas behind', () => {
    expect(() => placementOf('EXCHANGE TABLES sales AND other', PLAIN, KNOWN)).toThrow('A cluster has no way')
  })
})

it('every statement of the migrations has a place on a cluster', () => {
  const known = new Map<string, string>()
  const seen: string[] = []
  for (const sql of migrationFiles().flatMap(statementsIn)) {
    const made = statements(sql, REPLICATED, known) ?? [localized(sql, known)]
    const [, table, engine] = made.at(-1)!.match(/^CREATE TABLE IF NOT EXISTS (\w+) AS \w+ ENGINE = (.*)$/) ?? []
    if (table) known.set(table, engine!)
    expect(made[0], sql).toMatch(/_local\b|\b(fences|pauses)\b/)
    expect(made[0], sql).not.toMatch(/ENGINE = (?!Replicated)\w*MergeTree(?!.*ORDER BY scope)/s)
    if (table) seen.push(table)
  }
  expect(seen).toEqual(expect.arrayContaining(['transactions', 'attributed_lines', 'touches', 'security_events']))
})
