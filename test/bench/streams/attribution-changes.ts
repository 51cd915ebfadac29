/**
 * A turn of attribution after changes that leave credit as it is, among 4 million lines (or another number, by argument): new prices of
 * 1,000 products, each of which tells its item group again, and a new version of the shop with the same attribution windows. Goal: the
 * turn takes as little as one among few lines.
 *
 *     node test/bench/streams/attribution-changes.ts [lines]
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import { ATTRIBUTION_GROUP, createAttribution } from '../../../streams/attribution/attribution.ts'
import { commitsOf } from '../../../streams/attribution/progress.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { fakeLog } from '../../streams/runtime/fake-log.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const LINES = Number(process.argv[2] ?? 4_000_000)
const LINES_AN_ORDER = 2
const CHUNK_LINES = 500_000
const PRODUCTS = 20_000
const CHANGED_PRODUCTS = 1_000
const TURNS = 5

const linesSql = `
INSERT INTO attributed_lines (shopId, kind, eventId, line, occurredAt, cid, shopProductId, quantity, priceMicros, currency, outcome,
  itemGroups, receivedAt, trust, clickWindowHours, viewWindowHours, version)
SELECT 'shop', 'PURCHASE', toString(reinterpretAsUUID(sipHash128(intDiv(number, ${LINES_AN_ORDER})))), number % ${LINES_AN_ORDER},
  1700000000000 + number AS at, toString(cityHash64(number)), concat('sku-', toString(cityHash64(number, 1) % ${PRODUCTS} AS product)), 1,
  10000000, 'EUR', 'NO_TOUCH', [concat('group-', toString(intDiv(product, 4)))], at, 'OPEN', 336, 24, 1
FROM numbers({from:UInt64}, {lines:UInt64})`
const groupsSql = `
INSERT INTO product_groups (_topic, _partition, _offset, shopId, feedId, id, itemGroupId)
SELECT 'item-groups', 0, {offset:Int64} + number, 'shop', 'feed', concat('sku-', toString(number)), concat('group-', toString(intDiv(number, 4)))
FROM numbers({products:UInt64})`
const shopSql = `
INSERT INTO shop_versions (_topic, _partition, _offset, shopId, version, updatedAt, clickWindowHours, viewWindowHours)
SELECT 'registry', 0, {version:Int64}, 'shop', {version:Int64}, 1600000000000 + {version:Int64}, 336, 24`

const folder = mkdtempSync(join(tmpdir(), 'bench-attribution-changes-'))
const analytics = await openEmbeddedAnalytics({ folder })
const log = fakeLog()
const ends = { 'item-groups': 0, registry: 0 }
const commits = () =>
  Object.entries(ends).map(([topic, offset]) => ({
    topic: topic as keyof typeof ends,
    partition: 0,
    offset,
    metadata: '',
  }))
async function tellGroups(products: number): Promise<void> {
  await analytics.command(groupsSql, { offset: ends['item-groups'], products })
  ends['item-groups'] += products
}
async function changeShop(): Promise<void> {
  await analytics.command(shopSql, { version: ends.registry })
  ends.registry++
}

for (let from = 0; from < LINES; from += CHUNK_LINES) {
  await analytics.command(linesSql, { from, lines: Math.min(CHUNK_LINES, LINES - from) })
}
await tellGroups(PRODUCTS)
await changeShop()
await log.reset(ATTRIBUTION_GROUP, commitsOf({ phase: 'FOLLOWING', done: commits() }))

const turn = createAttribution({ log, analytics, runId: randomUUID })
const changes = {
  [`${CHANGED_PRODUCTS.toLocaleString('en')} products`]: () => tellGroups(CHANGED_PRODUCTS),
  'the shop': changeShop,
}
for (const [changed, change] of Object.entries(changes)) {
  const runs: number[] = []
  for (let run = 0; run < TURNS; run++) {
    await change()
    await log.reset(SINK_GROUP, commits())
    const spent = startStopwatch()
    await turn()
    runs.push(spent().cpuMs)
  }
  reportFigure({
    measure: `An attribution turn after a change of ${changed}, among ${LINES.toLocaleString('en')} lines: CPU`,
    ...{ value: runs.toSorted((a, b) => a - b)[TURNS >> 1]!, unit: 'ms', goal: { atMost: 100 } },
  })
}
await analytics.close()
rmSync(folder, { recursive: true })
