import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from '../../../infra/analytics/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { Campaign } from '../../../schemas/records/entities.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { itemGroupOf, offerKey } from '../../../services/domain/catalogue/offer.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { changed, created, openRegistry, type Registry } from '../../../services/registry/resources/store.ts'
import { rebuildAnalytics } from '../../../streams/rebuild/rebuild.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { openNewAnalytics } from '../../new-analytics.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { campaign, HOUR, purchase, T0, touch } from './events.ts'
import { bytesOf, type Happening, keyOf } from './happenings.ts'

const silent = { info() {}, warn() {}, error() {} }
const by = { by: 'tester' }
let folder: string
let analytics: Analytics
let log: EventLog
let registry: Registry
let clock = T0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'))
  analytics = await openNewAnalytics({ folder: join(folder, 'analytics') })
  log = await openEmbeddedEventLog({ folder: join(folder, 'log'), housekeepingMs: 5 })
  registry = await openRegistry({ log, snapshot: new Snapshot(), now: () => clock })
})
afterAll(async () => {
  await registry.close()
  await log.close()
  await analytics.close()
  await rm(folder, { recursive: true })
})

const held = async (topic: TopicName): Promise<number> => {
  const bounds = await log.bounds(topic)
  const counts = bounds.map(({ partition, start, end }) => log.count(topic, partition, start, end))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}
const rebuild = () =>
  rebuildAnalytics({ log, analytics, migrate, now: () => Date.now() * 10, runId: randomUUID, logger: silent })
const credits = () =>
  analytics.query('SELECT eventId, outcome, match, campaignId FROM attributed_lines FINAL ORDER BY eventId')

it('credits past purchases the same for ever, after compaction has forgotten what was changed since', async () => {
  const list = (ids: string[]) =>
    ({ ...(campaign({ version: 1, at: T0, list: ids }).body as Campaign), shopId: 'shop' }) as Campaign
  const offer = anOffer({ shopId: 'shop', feedId: 'feed', id: 'variant', itemGroupId: 'group' })
  const key = offerKey('shop', 'feed', 'variant')
  const group = { topic: 'item-groups' as const, key, value: encode('ItemGroup', itemGroupOf(offer)!) }
  const run = bodies.FeedRun

  await registry.write([created('Campaign', 'campaign', list(['accessory'])), created('FeedRun', 'run', run)], by)
  await log.append([{ topic: 'products', key, value: encode('ProductOffer', offer) }, group])
  const happenings: Happening[] = [
    { topic: 'judged-events', value: touch({ eventId: 'e', cid: 'c', at: T0 + 1, adId: 'p', itemGroupId: 'group' }) },
    { topic: 'transactions', value: purchase({ eventId: 'halo', cid: 'c', at: T0 + 2, products: ['accessory'] }) },
    { topic: 'transactions', value: purchase({ eventId: 'direct', cid: 'c', at: T0 + 3, products: ['variant'] }) },
  ]
  await log.append(happenings.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))

  clock = T0 + HOUR
  const now = registry.snapshot.get('Campaign', 'campaign')!
  await registry.write([changed(now, list([])), changed(registry.snapshot.get('FeedRun', 'run')!, run)], by)
  await log.append([{ topic: 'products', key, value: null }])
  await rebuild()
  const before = await credits()
  expect(before).toEqual([
    { eventId: 'direct', outcome: 'CREDITED', match: 'DIRECT', campaignId: 'campaign' },
    { eventId: 'halo', outcome: 'CREDITED', match: 'HALO', campaignId: 'campaign' },
  ])

  // Compaction removes the older of the run's two entries, and of the offer it leaves only the removal.
  while ((await held('registry')) > 3 || (await held('products')) > 1) await delay(5)
  const proofs = await rebuild()
  expect(proofs.filter(({ equal }) => !equal)).toEqual([])
  expect(await credits()).toEqual(before)
})
