/**
 * A start with a large registry, from all its records and from its checkpoint. Then changes a second: one at a time, so that each
 * is an append of its own, against many at once that share appends, by the registry itself and through its API.
 *
 *     [KAFKA_BROKERS=127.0.0.1:19092] node test/bench/registry.ts [campaigns] [versions of each]
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import { connectKafkaEventLog } from '../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../infra/event-log/kafka/migrate.ts'
import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import type { RegistryEntry } from '../../schemas/records/entities.ts'
import { encode } from '../../schemas/wire/codec.ts'
import { Snapshot } from '../../services/domain/snapshot.ts'
import { changed, created } from '../../services/registry/resources/store.ts'
import { checkpointEnd } from '../../services/replicas/registry-checkpoint.ts'
import { followRegistry } from '../../services/replicas/registry-follower.ts'
import { registryKey } from '../../services/replicas/registry-keys.ts'
import { removeKafkaNamespace } from '../engines/event-log/kafka-tools.ts'
import { bodies } from '../schemas/entity-samples.ts'
import { campaignBody, type Office, openAccount, openOffice, openPublisher } from '../services/registry/office.ts'
import { waitFor } from '../wait-for.ts'

const [campaigns = 100_000, versions = 5] = process.argv.slice(2).map(Number)
const RECORDS_PER_APPEND = 2_000
const CHANGES_AT_ONCE = 200
const CHANGED_CAMPAIGNS = 200
const SECONDS = 3
/** Each way is measured this often, in turn; the best counts, because the machine is shared. */
const ROUNDS = 3
const CHECKPOINT_MAX_MS = 300_000

const brokers = process.env.KAFKA_BROKERS?.split(',')
const namespace = `bench${randomUUID().slice(0, 8)}`
const folder = await mkdtemp(join(tmpdir(), 'bench-registry-'))
const log = await openLog()
console.log(`${campaigns} campaigns of ${versions} versions each, ${brokers ? 'Kafka' : 'embedded log'}`)
await fill()
await printStart('whole')
const office = await openOffice({ folder, log })
await waitFor(async () => (await checkpointEnd(log)) !== null, CHECKPOINT_MAX_MS)
await printStart('from its checkpoint')
await printChanges(office)
await office.stop()
await log.close()
await rm(folder, { recursive: true })
if (brokers) await removeKafkaNamespace(namespace)
process.exit(0)

async function openLog(): Promise<EventLog> {
  if (!brokers) return openEmbeddedEventLog({ folder })
  const options = { brokers, namespace, clientId: 'bench', logger: { info() {}, warn() {} }, now: Date.now }
  await migrateKafka({ ...options, replicationFactor: 1 })
  return connectKafkaEventLog(options)
}

async function fill(): Promise<void> {
  let records: NewRecord[] = []
  for (let version = 1; version <= versions; version++) {
    for (let n = 0; n < campaigns; n++) {
      const entry = {
        ...{ kind: 'Campaign', id: `campaign-${n}`, version, updatedAt: version, updatedBy: 'bench', deletedAt: null },
        body: { ...bodies.Campaign, name: `Campaign ${n}`, accountId: `account-${n % 1_000}` },
      } as RegistryEntry
      records.push({ topic: 'registry', key: registryKey(entry), value: encode('RegistryEntry', entry) })
      if (records.length < RECORDS_PER_APPEND) continue
      await log.append(records)
      records = []
    }
  }
  await log.append(records)
}

async function printStart(how: string): Promise<void> {
  const begun = performance.now()
  let read = 0
  await (await followRegistry({ log, snapshot: new Snapshot(), onRecord: () => void read++ })).close()
  const seconds = (performance.now() - begun) / 1000
  console.log(`start ${how}: ${seconds.toFixed(1)} s, ${read} records of the registry's topic`)
}

async function printChanges(of: Office): Promise<void> {
  const { registry } = of
  const by = { by: 'bench' }
  const ids = Array.from({ length: CHANGED_CAMPAIGNS }, () => randomUUID())
  for (const id of ids) await registry.write([created('Campaign', id, bodies.Campaign)], by)
  const change = (i: number) =>
    registry.write(() => {
      const campaign = registry.snapshot.get('Campaign', ids[i % ids.length]!)!
      return [changed(campaign, { ...campaign.body, name: `Campaign ${i}` })]
    }, by)

  const publisher = await openPublisher(of)
  const advertiser = await openAccount(of, 'ADVERTISER', { sellerIds: ['s1'] })
  const made = Array.from({ length: CHANGED_CAMPAIGNS }, () =>
    of.make('/v1/panel/campaigns', campaignBody(publisher.shopId), advertiser.token),
  )
  const paths = (await Promise.all(made)).map(({ id }) => `/v1/panel/campaigns/${id}`)
  const patch = async (i: number) => {
    const { status } = await of.call(
      'PATCH',
      paths[i % paths.length]!,
      { dailyBudget: 20 + (i % 70) },
      advertiser.token,
    )
    if (status !== 200) throw new Error(`PATCH answers ${status}`)
  }
  console.table([await compared('registry.write', change), await compared('PATCH a campaign', patch)])
}

async function compared(what: string, change: (i: number) => Promise<unknown>) {
  let [alone, together] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    alone = Math.max(alone, await perSecond(change, 1))
    together = Math.max(together, await perSecond(change, CHANGES_AT_ONCE))
  }
  return {
    'changes a second': what,
    'one at a time': Math.round(alone),
    [`${CHANGES_AT_ONCE} at once`]: Math.round(together),
    ratio: Number((together / alone).toFixed(1)),
  }
}

async function perSecond(change: (i: number) => Promise<unknown>, atOnce: number): Promise<number> {
  const begun = performance.now()
  let done = 0
  const changeOn = async () => {
    while (performance.now() - begun < SECONDS * 1000) await change(done++)
  }
  await Promise.all(Array.from({ length: atOnce }, changeOn))
  return (done * 1000) / (performance.now() - begun)
}
