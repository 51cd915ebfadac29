import kafkajs, { type AclEntry, type AclFilter, type Admin } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { patchKafkajs } from '../../../../infra/event-log/kafka/client/patches.ts'
import { noteCluster, openLogRestore } from '../../../../infra/event-log/kafka/epoch/restore.ts'
import { connectKafkaEventLog } from '../../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../../infra/event-log/kafka/migrate.ts'
import { createPartitionControl } from '../../../../infra/event-log/kafka/partition-control.ts'
import { type EventLog, LogUnavailable } from '../../../../infra/event-log/port.ts'
import { waitFor } from '../../../wait-for.ts'
import { testNamespace } from '../../addresses.ts'
import { RESTRICTED, type SecureBroker } from './secure-broker.ts'

/** For calls that must succeed or be refused at once: it only ends calls that hang. */
const PATIENCE_MS = 60_000
/** A consumer gives up once it has been refused for this long. */
const REFUSED_MS = 3_000
const { AclOperationTypes: operation, AclResourceTypes: resource } = kafkajs
type Right = [of: number, allowed: number]

/** The rights that docs/kafka.md lists. */
const ALL: readonly Right[] = [
  ...['CREATE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS', 'READ', 'WRITE'].map(
    (name): Right => [resource.TOPIC, operation[name as 'READ']],
  ),
  [resource.GROUP, operation.READ],
  [resource.GROUP, operation.DELETE],
  [resource.TRANSACTIONAL_ID, operation.WRITE],
]
/** The rights of selection and intake. */
const LESSER: readonly Right[] = [
  [resource.TOPIC, operation.READ],
  [resource.TOPIC, operation.WRITE],
  [resource.GROUP, operation.DESCRIBE],
]
const [owner, lesser] = RESTRICTED as [(typeof RESTRICTED)[number], (typeof RESTRICTED)[number]]
const record = { topic: 'page-views', key: 'a', value: Buffer.from('1') } as const
const place = { topic: 'page-views', partition: 0, metadata: '' } as const

/** What a user may do, and is told who may not. */
export function rightsSuite(given: { broker: SecureBroker }): void {
  let admin: Admin
  beforeAll(async () => {
    patchKafkajs()
    const { NOTHING } = kafkajs.logLevel
    admin = new kafkajs.Kafka({ brokers: [given.broker.at('INTERNAL')], clientId: 'test', logLevel: NOTHING }).admin()
    await admin.connect()
  })
  afterAll(() => admin?.disconnect())

  function optionsOf({ username, password }: typeof owner, namespace: string) {
    const sasl = { mechanism: 'scram-sha-256', username, password } as const
    return {
      brokers: [given.broker.at('SCRAM')],
      clientId: 'test',
      namespace,
      sasl,
      logger: { warn() {} },
      now: Date.now,
    }
  }

  /** Grants rights on all names of a namespace. Resolves once the broker applies them. */
  async function grant(
    { username }: typeof owner,
    namespace: string,
    rights: readonly Right[],
    known = rights.length,
  ): Promise<void> {
    if (rights.length === 0) return
    const concerned = {
      resourceName: `${namespace}.`,
      resourcePatternType: kafkajs.ResourcePatternTypes.PREFIXED,
      principal: `User:${username}`,
      host: '*',
    }
    const { ALLOW, ANY: EITHER } = kafkajs.AclPermissionTypes
    const acl = rights.map(([resourceType, allowed]) => ({
      ...concerned,
      resourceType,
      operation: allowed,
      permissionType: ALLOW,
    }))
    await admin.createAcls({ acl: acl as AclEntry[] })
    const filter = {
      ...concerned,
      resourceType: resource.ANY,
      operation: operation.ANY,
      permissionType: EITHER,
    } as AclFilter
    await waitFor(async () => {
      const { resources } = await admin.describeAcls(filter)
      return resources.flatMap(({ acls }) => acls).length === known
    })
  }

  const without = (of: number, ...taken: number[]) =>
    ALL.filter(([each, allowed]) => each !== of || !taken.includes(allowed))

  const start = (namespace: string, user = owner) =>
    migrateKafka({ ...optionsOf(user, namespace), replicationFactor: 1, partitions: 1 })

  async function withLog(
    user: typeof owner,
    namespace: string,
    use: (log: EventLog) => Promise<void>,
    timeoutMs = PATIENCE_MS,
  ): Promise<void> {
    const log = connectKafkaEventLog({ ...optionsOf(user, namespace), timeoutMs })
    try {
      await use(log)
    } finally {
      await log.close()
    }
  }

  describe('the rights that docs/kafka.md lists', () => {
    it('suffice for all that registry and streams do', async () => {
      const namespace = testNamespace()
      await grant(owner, namespace, ALL)
      await start(namespace)
      await withLog(owner, namespace, async (log) => {
        await log.append([record])
        await (await log.exclusiveWriter('w')).append([{ ...record, topic: 'registry' }])
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        const batch = await consumer.poll({ maxRecords: 1, maxWaitMs: 30_000 })
        await consumer.commit(batch!.assignment, { offset: 1, metadata: '' }, [{ ...record, topic: 'dead-letters' }])
        await consumer.close()
        expect(await log.committed('g')).toMatchObject([{ offset: 1 }])
        await expect.poll(() => log.reset('g', null).then(() => true, String)).toBe(true)
      })
      await start(namespace)
    })

    it('suffice to restore the log', async () => {
      const namespace = testNamespace()
      await grant(owner, namespace, ALL)
      await start(namespace)
      await noteCluster(optionsOf(owner, namespace))
      await withLog(owner, namespace, async (log) => {
        await log.append([record])
        await log.reset('g', [{ ...place, offset: 1 }])
      })
      const restore = await openLogRestore(optionsOf(owner, namespace))
      const { log } = await restore.begin(0)
      expect(await log.committed('g')).toEqual([])
      await log.reset(
        'g',
        (await log.bounds('page-views')).map(({ end }) => ({ ...place, offset: end })),
      )
      await restore.finish([])
      await restore.close()
    })

    it('suffice to add partitions', async () => {
      const namespace = testNamespace()
      const growth = new Map([['page-views', 2] as const])
      await grant(owner, namespace, ALL)
      await start(namespace)
      const control = createPartitionControl(optionsOf(owner, namespace))
      expect(await control.activeGroups(['judge'])).toEqual([])
      await expect(control.grow(growth)).rejects.toThrow(/lacks the right Alter on the topic \S+\.page-views /)
      await grant(owner, namespace, [[resource.TOPIC, operation.ALTER]], ALL.length + 1)
      await control.grow(growth)
      expect((await control.counts()).get('page-views')).toBe(2)
    })

    it('suffice for all that selection and intake do', async () => {
      const namespace = testNamespace()
      await grant(owner, namespace, ALL)
      await grant(lesser, namespace, LESSER)
      await start(namespace)
      await withLog(lesser, namespace, async (log) => {
        await log.append([record])
        const read: string[] = []
        const tail = await log.tail('page-views', (records) => {
          read.push(...records.map(({ key }) => key!))
        })
        expect(read).toEqual(['a'])
        await tail.close()
        expect(await log.committed('g')).toEqual([])
      })
    })
  })

  describe('a start says which right is missing', () => {
    it.each<[string, readonly Right[], RegExp]>([
      [
        'to make topics',
        without(resource.TOPIC, operation.CREATE, operation.READ, operation.WRITE),
        /lacks the right Create on the topic \S+/,
      ],
      [
        'to see the settings of topics',
        without(resource.TOPIC, operation.DESCRIBE_CONFIGS, operation.ALTER_CONFIGS),
        /lacks the right DescribeConfigs on the topic \S+/,
      ],
      ['to use groups', without(resource.GROUP, operation.READ, operation.DELETE), /Read on the group \S+\.migration /],
      [
        'to use transactions',
        without(resource.TRANSACTIONAL_ID, operation.WRITE),
        /Write on the transactional id \S+\.writer\.migration /,
      ],
    ])('%s', async (_, rights, reason) => {
      const namespace = testNamespace()
      await grant(owner, namespace, rights)
      const error = await start(namespace).catch((error: Error) => error)
      // The error does not say that a retry may help.
      expect(error).not.toBeInstanceOf(LogUnavailable)
      expect((error as Error).message).toMatch(reason)
    })
  })

  describe('a call says which right is missing', () => {
    /** The error message that a user with these rights gets, on topics that another user has created. */
    async function toldBy(
      rights: readonly Right[],
      use: (log: EventLog) => Promise<unknown>,
      timeoutMs?: number,
    ): Promise<string> {
      const namespace = testNamespace()
      await grant(owner, namespace, ALL)
      await grant(lesser, namespace, rights)
      await start(namespace)
      let message = 'has succeeded'
      const tell = async (log: EventLog) => {
        const error = await use(log).then(
          () => null,
          (error: Error) => error,
        )
        if (error) expect(error).toBeInstanceOf(LogUnavailable)
        message = (error?.message ?? message).replaceAll(namespace, 'ns')
      }
      await withLog(lesser, namespace, tell, timeoutMs)
      return message
    }
    const topic = (allowed: number): Right => [resource.TOPIC, allowed]

    it('to append at all', async () => {
      expect(await toldBy([topic(operation.READ)], (log) => log.append([record]))).toMatch(
        /the right (Write on the topic ns\.page-views|IdempotentWrite on the cluster, or Write on any topic)/,
      )
    })

    it('to append to one topic', async () => {
      const told = await toldBy([topic(operation.DESCRIBE)], async (log) => {
        // Write on another topic is enough to start the append.
        await grant(lesser, testNamespace(), [topic(operation.WRITE)])
        await log.append([record])
      })
      expect(told).toMatch(/lacks the right Write on the topic ns\.page-views /)
    })

    it('to see a topic', async () => {
      expect(await toldBy([], (log) => log.bounds('page-views'))).toMatch(/Describe on the topic ns\.\S+ /)
    })

    it('to read in a group', async () => {
      const poll = async (log: EventLog) => {
        const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
        for (;;) await consumer.poll({ maxRecords: 1, maxWaitMs: 1_000 })
      }
      const told = await toldBy([topic(operation.READ), [resource.GROUP, operation.DESCRIBE]], poll, REFUSED_MS)
      expect(told).toMatch(/lacks the right Read on the group ns\.g /)
    })
  })
}
