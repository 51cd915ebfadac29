import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { LogUnavailable } from '../../../infra/event-log/port.ts'
import { tries } from '../../effort.ts'
import { waitFor } from '../../wait-for.ts'
import { testNamespace } from '../addresses.ts'
import { readAll } from '../event-log/copier.ts'
import { openSinks, type Sinks } from '../faults/sinks.ts'
import { type BrokerCluster, type BrokerId, brokerIds, REPLICAS, startCluster } from './cluster.ts'
import { openTraffic, type Sent, type Traffic } from './traffic.ts'

const TIMEOUT_MS = 600_000
/** How long traffic runs undisturbed before each fault. */
const QUIET_MS = 500
const AWAY_MS = 1_000
/** Time for a process to start and ask to join. */
const JOINING_AFTER_MS = 700

let cluster: BrokerCluster
let traffic: Traffic
let sinks: Sinks
const gaps: string[] = []

beforeAll(async () => {
  cluster = await startCluster()
  const [opened, sinking] = await Promise.all([
    openTraffic(cluster),
    openSinks({ brokers: cluster.addresses, replicationFactor: REPLICAS }),
  ])
  traffic = opened
  sinks = sinking
  sinks.start()
}, TIMEOUT_MS)
afterAll(async () => {
  process.stdout.write(`the longest time without an answer: ${gaps.join(', ')}\n`)
  await traffic?.close()
  await sinks?.remove()
  await cluster?.remove()
}, TIMEOUT_MS)

const leader = () => cluster.leaderOf(`${traffic.namespace}.ad-events`, 0)
const others = (id: BrokerId) => brokerIds.filter((each) => each !== id)

async function killAndStart(id: BrokerId): Promise<void> {
  await cluster.signal(id, 'SIGKILL')
  await sleep(AWAY_MS)
  await cluster.start(id)
}

/** Creates topics while a broker, which may be the controller, is away. */
async function makeTopics(): Promise<void> {
  const options = { brokers: cluster.addresses, clientId: 'test', namespace: testNamespace(), logger: { warn() {} } }
  await waitFor(async () => {
    try {
      await migrateKafka({ ...options, partitions: 1, replicationFactor: REPLICAS })
      return true
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      return false
    }
  })
}

type Fault = [name: string, run: () => Promise<void>]

const faults: Fault[] = [
  [
    "SIGSTOP of a group's coordinator while a member joins",
    async () => {
      const id = await cluster.coordinatorOf(traffic.group)
      traffic.replaceCopier()
      await sleep(JOINING_AFTER_MS)
      await cluster.signal(id, 'SIGSTOP')
      // Traffic must get on while the broker is still frozen.
      await traffic.untilAllGetOn()
      await cluster.signal(id, 'SIGCONT')
    },
  ],
  [
    'SIGSTOP of a leader, and then of another broker',
    async () => {
      const id = await leader()
      for (const frozen of [id, others(id)[0]!]) {
        await cluster.signal(frozen, 'SIGSTOP')
        await traffic.untilAllGetOn()
        await cluster.signal(frozen, 'SIGCONT')
        await cluster.untilInSync()
      }
    },
  ],
  [
    'kill -9 of two brokers in turn: without the second a write has too few copies, until it comes back with an empty disk',
    async () => {
      const topic = `${traffic.namespace}.ad-events`
      const first = await leader()
      await cluster.signal(first, 'SIGKILL')
      // The other two brokers must go on.
      await traffic.untilAllGetOn()
      await cluster.start(first)
      await cluster.untilInSync()
      const second = await leader()
      await cluster.setMinInSync(topic, REPLICAS)
      await cluster.signal(second, 'SIGKILL')
      await traffic.untilRefused()
      await cluster.wipe(second)
      await cluster.start(second)
      await traffic.untilAllGetOn()
      await cluster.setMinInSync(topic, REPLICAS - 1)
    },
  ],
  [
    'a rolling restart, while topics are made',
    async () => {
      for (const id of brokerIds) {
        await cluster.signal(id, 'SIGTERM')
        await makeTopics()
        await cluster.start(id)
        await cluster.untilInSync()
      }
    },
  ],
]

/** With two of three brokers away, too few are left for a write or for a controller: everything waits. */
const moreFaults: Fault[] = [
  [
    'kill -9 of two brokers at once',
    async () => {
      const id = await leader()
      await Promise.all([id, others(id)[0]!].map((each) => killAndStart(each)))
    },
  ],
]

describe('three brokers: whatever happens to them, what was acknowledged is stored, once and in order', () => {
  it.each([...faults, ...tries<Fault[]>([], moreFaults)])(
    '%s',
    async (name, fault) => {
      traffic.resume()
      await traffic.untilAllGetOn()
      await sleep(QUIET_MS)
      traffic.longestGapMs()
      await fault()
      await traffic.untilAllGetOn()
      gaps.push(`${name} ${(traffic.longestGapMs() / 1_000).toFixed(1)} s`)
      await cluster.untilInSync()
      await traffic.pause()
      await expectAllOnce()
      await expectAllCopied()
      await sinks.untilAllStored()
    },
    TIMEOUT_MS,
  )

  it('the sink has stored every record once', async () => {
    await sinks.stopLoad()
    await sinks.untilAllStored()
    const { appended, stored, rows } = await sinks.count()
    expect({ stored, rows }).toEqual({ stored: appended, rows: appended })
  })

  it('no process has ended or complained', () => {
    for (const { process, errors } of traffic.copiers) {
      expect({ errors, code: process.exitCode, signal: process.signalCode }).toEqual({
        errors: [],
        code: null,
        signal: null,
      })
    }
  })
})

/** Checks that each acknowledged record is where the log said, that nothing is stored twice, and that each key is in order. */
async function expectAllOnce(): Promise<void> {
  const { log, appended, written, tailed } = traffic
  for (const [topic, sent] of [
    ['ad-events', appended],
    ['registry', written],
  ] as const) {
    const records = await readAll(log, topic)
    const values = records.map(({ value }) => value!.toString())
    expect(new Set(values).size).toBe(values.length)
    const places = new Map(records.map(({ partition, offset, value }) => [`${partition}/${offset}`, value!.toString()]))
    const astray = acknowledgedOf(sent).filter(
      ({ value, acknowledged: at }) => places.get(`${at!.partition}/${at!.offset}`) !== value,
    )
    expect(astray).toEqual([])
    const given = new Set(sent.map(({ value }) => value))
    expect(values.filter((value) => !given.has(value))).toEqual([])
    const isAcknowledged = new Set(acknowledgedOf(sent).map(({ value }) => value))
    const stored = records
      .map(({ key, value }) => ({ key: key!, value: value!.toString() }))
      .filter(({ value }) => isAcknowledged.has(value))
    expect(byKey(stored)).toEqual(byKey(acknowledgedOf(sent)))
  }
  expect(tailed).toEqual((await readAll(log, 'registry')).map(({ value }) => value!.toString()))
}

/** Checks that the group's outputs equal the topic that it reads, in the same order for each key. */
async function expectAllCopied(): Promise<void> {
  const [source, copy] = await Promise.all(
    (['ad-events', 'judged-events'] as const).map(async (topic) =>
      byKey((await readAll(traffic.log, topic)).map(({ key, value }) => ({ key: key!, value: value!.toString() }))),
    ),
  )
  expect(copy).toEqual(source)
}

const acknowledgedOf = (sent: readonly Sent[]) => sent.filter(({ acknowledged }) => acknowledged)

/** The values of each key, in order. */
function byKey(records: readonly { key: string; value: string }[]): Record<string, string[]> {
  const keys = Object.groupBy(records, ({ key }) => key)
  return Object.fromEntries(
    Object.keys(keys)
      .toSorted()
      .map((key) => [key, keys[key]!.map(({ value }) => value)]),
  )
}
