import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readEngineConfig } from '../../../../infra/engine-config.ts'
import { connectKafkaEventLog } from '../../../../infra/event-log/kafka/event-log.ts'
import { migrateKafka } from '../../../../infra/event-log/kafka/migrate.ts'
import { clientSecurity } from '../../../../infra/event-log/kafka/oauth-bearer.ts'
import { LogUnavailable } from '../../../../infra/event-log/port.ts'
import { waitFor } from '../../../wait-for.ts'
import { testNamespace } from '../../addresses.ts'
import type { Certificates } from './certificates.ts'
import { type Listener, type SecureBroker, USER } from './secure-broker.ts'
import { CLIENT, startTokenEndpoint } from './token-endpoint.ts'

type Settings = Record<string, string>

/** Who gets in by which way, and what those are told who do not. */
export function connectionsSuite(given: { broker: SecureBroker; certificates: Certificates }): void {
  let tokens: Awaited<ReturnType<typeof startTokenEndpoint>>
  const warnings: string[] = []
  beforeAll(async () => {
    tokens = await startTokenEndpoint()
  })
  afterAll(() => tokens.close())
  beforeEach(() => {
    Object.assign(tokens.terms, { lifeSeconds: 3_600, scope: null, stale: false, away: false })
  })

  const trusted = (): Settings => ({ KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: given.certificates.path('ca.pem') })
  const certified = (name: string): Settings => ({
    ...trusted(),
    KAFKA_TLS_CERT_FILE: given.certificates.path(`${name}.pem`),
    KAFKA_TLS_KEY_FILE: given.certificates.path(`${name}.key`),
  })
  const signedIn = (mechanism: string, password: string = USER.password): Settings => ({
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_USERNAME: USER.username,
    KAFKA_PASSWORD: password,
  })
  const withTokens = (more: Settings = {}): Settings => ({
    KAFKA_SASL_MECHANISM: 'oauthbearer',
    KAFKA_USERNAME: CLIENT.id,
    KAFKA_PASSWORD: CLIENT.secret,
    KAFKA_OAUTH_TOKEN_URL: tokens.url,
    ...more,
  })

  /** The options with which a process with these settings connects. */
  function optionsFor(listener: Listener, settings: Settings, namespace = testNamespace()) {
    const problems: string[] = []
    const { kafka } = readEngineConfig({ KAFKA_BROKERS: given.broker.at(listener), ...settings }, problems)
    expect(problems).toEqual([])
    const { brokers, security } = kafka!
    const logger = { warn: (_: object, message: string) => void warnings.push(message) }
    return { brokers, ...clientSecurity(security, Date.now), clientId: 'test', namespace, logger, now: Date.now }
  }

  const start = (options: ReturnType<typeof optionsFor>) =>
    migrateKafka({ ...options, replicationFactor: 1, partitions: 1 })

  /** Creates the topics, appends a record, and reads it back alone and in a group. */
  async function worksAt(listener: Listener, settings: Settings): Promise<void> {
    const options = optionsFor(listener, settings)
    await start(options)
    const log = connectKafkaEventLog(options)
    try {
      const record = { topic: 'page-views', key: 'a', value: Buffer.from('1') } as const
      const isAppended = () =>
        log.append([record]).then(
          () => true,
          () => false,
        )
      // These tests run at the same time, in which `expect.poll` does not know of which test it is.
      await waitFor(isAppended)
      expect(await log.read('page-views', 0, 0, 1)).toMatchObject([{ key: 'a' }])
      const consumer = await log.consumer({ group: 'g', topics: ['page-views'] })
      const batch = await consumer.poll({ maxRecords: 1, maxWaitMs: 30_000 })
      await consumer.commit(batch!.assignment, { offset: 1, metadata: '' })
      expect(await log.committed('g')).toMatchObject([{ offset: 1 }])
    } finally {
      await log.close()
    }
  }

  /** The errors of a start and of a running process. Checks that neither they nor the log contain secrets. */
  async function refusalsAt(listener: Listener, settings: Settings): Promise<[Error, Error]> {
    const options = optionsFor(listener, settings)
    const log = connectKafkaEventLog({ ...options, timeoutMs: 2_000 })
    const [starting, running] = await Promise.all(
      [start(options), log.bounds('page-views')].map((call) =>
        call.then(
          () => new Error('has succeeded'),
          (error: Error) => error,
        ),
      ),
    )
    await log.close()
    expect(running).toBeInstanceOf(LogUnavailable)
    const said = [starting!, running!].map((error) => `${error.stack} ${JSON.stringify(error)} ${error.cause ?? ''}`)
    for (const secret of [settings.KAFKA_PASSWORD, encodeURIComponent(settings.KAFKA_PASSWORD ?? '')]) {
      if (secret) expect([...said, ...warnings].join('\n')).not.toContain(secret)
    }
    return [starting!, running!]
  }

  async function refusedAt(listener: Listener, settings: Settings, reason: RegExp): Promise<void> {
    for (const error of await refusalsAt(listener, settings)) expect(error.message).toMatch(reason)
  }

  // Most of their time they wait for the time limit of a client that is refused.
  describe('TLS', { concurrent: true }, () => {
    it('works with a private authority', () => worksAt('TLS', trusted()))
    it('works with a certificate of the client', () => worksAt('MUTUAL', certified('client')))

    it('says that the authority is not trusted', () =>
      refusedAt('TLS', { KAFKA_TLS: 'true' }, /authority that is not trusted: check KAFKA_TLS_CA_FILE/))
    it("says that the broker's certificate has expired", () =>
      refusedAt('EXPIRED', trusted(), /the broker's certificate has expired/))
    it("says that the client's certificate is missing, has expired or is a stranger's", async () => {
      const refused = /the broker refuses this client's certificate \(.+\): check KAFKA_TLS_CERT_FILE/
      const bad = [trusted(), certified('expired-client'), certified('stranger')]
      await Promise.all(bad.map((settings) => refusedAt('MUTUAL', settings, refused)))
    })
    it('says that a port does not speak TLS', () => refusedAt('INTERNAL', trusted(), /does not speak TLS/))
  })

  describe('SASL', { concurrent: true }, () => {
    it('works with PLAIN over TLS', () => worksAt('PLAIN', { ...trusted(), ...signedIn('plain') }))
    it('works with SCRAM-SHA-256', () => worksAt('SCRAM', signedIn('scram-sha-256')))
    it('works with SCRAM-SHA-512', () => worksAt('SCRAM', signedIn('scram-sha-512')))

    it.each([
      ['PLAIN', 'plain'],
      ['SCRAM', 'scram-sha-256'],
      ['SCRAM', 'scram-sha-512'],
    ] as const)('%s says that the password of %s is wrong', (listener, mechanism) => {
      const tls = listener === 'PLAIN' ? trusted() : {}
      const settings = { ...tls, ...signedIn(mechanism, 'a-wr0ng-password') }
      return refusedAt(
        listener,
        settings,
        /[Aa]uthentication failed.*: check KAFKA_SASL_MECHANISM, KAFKA_USERNAME and KAFKA_PASSWORD/,
      )
    })
    it('says that the broker does not offer the mechanism', () =>
      refusedAt(
        'SCRAM',
        signedIn('plain'),
        /does not support the requested SASL mechanism: check KAFKA_SASL_MECHANISM/,
      ))
  })

  describe('OAUTHBEARER', () => {
    it('works with tokens of an endpoint, and one token for all connections', async () => {
      tokens.issued.length = 0
      await worksAt('OAUTH', withTokens())
      expect(tokens.issued).toHaveLength(1)
    })

    it('asks for a scope', async () => {
      tokens.terms.scope = 'kafka write'
      await worksAt('OAUTH', withTokens({ KAFKA_OAUTH_SCOPE: 'kafka write' }))
      await refusedAt('OAUTH', withTokens(), /has answered 400 \(invalid_scope\)/)
    })

    it('goes on with new tokens when the old ones expire, and the connections with them', async () => {
      const options = optionsFor('OAUTH', withTokens())
      await start(options)
      tokens.terms.lifeSeconds = 12
      tokens.issued.length = 0
      const log = connectKafkaEventLog({ ...options, ...optionsFor('OAUTH', withTokens(), options.namespace) })
      let appended = 0
      for (; tokens.issued.length < 3; appended++) {
        await log.append([{ topic: 'page-views', key: 'a', value: Buffer.from(String(appended)) }])
        await sleep(20)
      }
      const records = await log.read('page-views', 0, 0, appended + 1)
      expect(records.map(({ value }) => Number(value!.toString()))).toEqual(
        Array.from({ length: appended }, (_, n) => n),
      )
      await log.close()
    })

    it('says that the client, its token or the endpoint is not good', async () => {
      await refusedAt('OAUTH', withTokens({ KAFKA_PASSWORD: 'an0ther secret' }), /has answered 401 \(invalid_client\)/)
      tokens.terms.stale = true
      await refusedAt('OAUTH', withTokens(), /refuse the access token \(invalid_token\)/)
      tokens.terms.away = true
      await refusedAt('OAUTH', withTokens(), /has answered 503/)
      await refusedAt('OAUTH', withTokens({ KAFKA_OAUTH_TOKEN_URL: 'http://127.0.0.1:1/token' }), /cannot be reached/)
    })
  })

  describe('replication', () => {
    it('says that there are fewer brokers than copies', async () => {
      const options = optionsFor('INTERNAL', {})
      await expect(migrateKafka({ ...options, replicationFactor: 3 })).rejects.toThrow(/KAFKA_REPLICATION_FACTOR/)
    })
  })
}
