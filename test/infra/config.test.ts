import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InvalidConfig, readConfig, settings } from '../../infra/config.ts'

const root = join(import.meta.dirname, '../..')

describe('configuration', () => {
  it('starts with no setting at all', () => {
    expect(readConfig({})).toMatchObject({
      httpHost: '127.0.0.1',
      httpPort: 8080,
      dataFolder: './data',
      bootstrapToken: null,
    })
  })

  it('lists every problem and names its key', () => {
    const broken = {
      HTTP_PORT: 'eighty',
      ROLES: 'selection',
      BOOTSTRAP_TOKEN: 'short',
      LOG_LEVEL: 'loud',
      SHOW_ID_KEYS: 'x',
    }
    const failure = (() => {
      try {
        readConfig(broken)
      } catch (error) {
        return error as Error
      }
    })()
    expect(failure).toBeInstanceOf(InvalidConfig)
    for (const key of Object.keys(broken)) expect(failure?.message).toContain(key)
  })

  it('keeps identifiers for as long as a click may earn, and a month more, or for as long as their rows', () => {
    const daysOf = (days: string) => readConfig({ ANALYTICS_IDENTIFIER_DAYS: days }).engines.identifierDays
    expect([daysOf(''), daysOf('0'), daysOf('120')]).toEqual([null, null, 120])
    expect(() => daysOf('119')).toThrow(/ANALYTICS_IDENTIFIER_DAYS must be 0 or at least 120, not 119/)
    expect(() => daysOf('36501')).toThrow(/ANALYTICS_IDENTIFIER_DAYS/)
  })

  it('serves metrics on a port of their own, to this machine only, unless told otherwise', () => {
    const address = (env: Record<string, string>) => readConfig(env).metricsAddress
    expect(address({ HTTP_HOST: '0.0.0.0' })).toEqual({ host: '127.0.0.1', port: 9464, orAnyFree: true })
    expect(address({ METRICS_HOST: '0.0.0.0', METRICS_PORT: '9000' })).toEqual({
      host: '0.0.0.0',
      port: 9000,
      orAnyFree: false,
    })
    expect(address({ METRICS_PORT: '0' })).toMatchObject({ port: 0 })
    expect(address({ METRICS_PORT: 'off' })).toBeNull()
    expect(() => address({ METRICS_PORT: 'on' })).toThrow(/METRICS_PORT/)
  })

  it.each([
    ['https://shop.example', ['https://shop.example']],
    ['https://a.example, http://127.0.0.1:3000', ['https://a.example', 'http://127.0.0.1:3000']],
    ['capacitor://localhost', ['capacitor://localhost']],
    ['*', '*'],
    ['https://a.example, *', '*'],
  ])('lets pages of the origins %s call', (text, origins) => {
    expect(readConfig({ CORS_ORIGINS: text }).corsOrigins).toEqual(origins)
  })

  it.each([
    'shop.example',
    '*.shop.example',
    'https://shop.example/',
    'https://shop.example/lamps',
    'https://Shop.example',
    'https://shop.example:443',
    'https://a.example, null',
  ])('refuses %s as an origin, because no browser names one so', (text) => {
    expect(() => readConfig({ CORS_ORIGINS: text })).toThrow(/CORS_ORIGINS must be a list of origins/)
  })

  it.each([
    [{}, 'http://127.0.0.1:8080'],
    [{ HTTP_HOST: '::' }, 'http://[::]:8080'],
    [{ HTTP_HOST: 'fe80::1%eth0' }, 'http://[fe80::1]:8080'],
    [{ HTTP_HOST: 'ads.example', HTTP_PORT: '9000' }, 'http://ads.example:9000'],
    [{ PUBLIC_URL: 'HTTPS://Ads.Example/' }, 'https://ads.example'],
    [{ PUBLIC_URL: 'https:ads.example' }, 'https://ads.example'],
    [{ PUBLIC_URL: 'https://shop.example/ads//' }, 'https://shop.example/ads'],
  ])('takes %s for the public address %s', (env, publicUrl) => {
    expect(readConfig(env).publicUrl).toBe(publicUrl)
  })

  it.each(['0.0.0.0:8080', 'http://ads.example', '[::1]', 'my host'])('refuses %s as a host to listen on', (text) => {
    expect(() => readConfig({ HTTP_HOST: text })).toThrow(/^HTTP_HOST must be a host name or an address/)
    expect(() => readConfig({ METRICS_HOST: text })).toThrow(/^METRICS_HOST must be a host name or an address/)
  })

  it.each(['https://ads.example/?a=1', 'https://ads.example#top', 'https://me@ads.example', 'ftp://ads.example'])(
    'refuses the public address %s, to which no path can be appended',
    (text) => expect(() => readConfig({ PUBLIC_URL: text })).toThrow(/^PUBLIC_URL must be an address/),
  )

  it('refuses a sender of mail that is no address', () => {
    const env = { SMTP_URL: 'smtp://mail.example', SMTP_FROM: 'Endcap' }
    expect(() => readConfig(env)).toThrow(/SMTP_FROM/)
    expect(readConfig({ ...env, SMTP_FROM: 'Endcap <ads@shop.example>' }).mail?.from).toBe('Endcap <ads@shop.example>')
  })

  it('refuses a bootstrap token that could be guessed', () => {
    const tokenOf = (chars: number) => readConfig({ BOOTSTRAP_TOKEN: 'x'.repeat(chars) }).bootstrapToken
    expect(() => tokenOf(31)).toThrow('BOOTSTRAP_TOKEN must be at least 32 characters long')
    expect(tokenOf(32)).toHaveLength(32)
  })

  it('never repeats a secret in a message', () => {
    const secret = 'x'.repeat(20)
    expect(() => readConfig({ BOOTSTRAP_TOKEN: secret })).toThrow(expect.not.stringContaining(secret))
  })

  it('refuses a split over several processes with the embedded engines', () => {
    expect(() => readConfig({ ROLES: 'selection,intake' })).toThrow(/ROLES/)
  })

  it('lets roles be split when no engine is embedded', () => {
    const engines = {
      KAFKA_BROKERS: 'a:9092, b:9092',
      CLICKHOUSE_URL: 'http://u:p@c:8123',
      ELASTICSEARCH_URL: 'http://e:9200',
      REDIS_URL: 'redis://r',
    }
    const keys = { SHOW_ID_KEYS: `1:${'A'.repeat(43)}` }
    expect(readConfig({ ...engines, ...keys, ROLES: 'selection,intake' })).toMatchObject({
      roles: ['selection', 'intake'],
      engines: { namespace: 'endcap', kafka: { brokers: ['a:9092', 'b:9092'] }, redis: { url: 'redis://r' } },
    })
    expect(() => readConfig({ ...engines, ROLES: 'selection' })).toThrow(/SHOW_ID_KEYS/)
    for (const key of Object.keys(engines)) {
      expect(() => readConfig({ ...engines, ...keys, [key]: '', ROLES: 'selection' })).toThrow(/ROLES/)
    }
  })

  it('says which topic of a setting cannot be used', () => {
    const env = { KAFKA_BROKERS: 'a:9092', KAFKA_TOPIC_RETENTION_DAYS: 'judged-events:7' }
    expect(() => readConfig(env)).toThrow(/KAFKA_TOPIC_RETENTION_DAYS: judged-events must be kept for 39 to/)
    const kafka = readConfig({ ...env, KAFKA_TOPIC_RETENTION_DAYS: 'page-views:7' }).engines.kafka
    expect(kafka?.topicRetentionMs).toEqual({ 'page-views': 7 * 86_400_000 })
  })

  it.each(['kafka:70000', 'kafka:0', 'kafka', 'one:9092, two'])('refuses the brokers %s', (brokers) => {
    expect(() => readConfig({ KAFKA_BROKERS: brokers })).toThrow(/^KAFKA_BROKERS must be a list of host:port/)
  })

  it('runs a role once that is named twice', () => {
    const roles = ['streams', 'intake', 'selection', 'registry']
    expect(readConfig({ ROLES: [...roles, 'intake'].join() }).roles).toEqual(roles)
  })

  it('takes the address of a Redis that is one server, Sentinels or a Cluster, and says what is wrong with any other', () => {
    for (const url of ['redis://r', 'rediss://:p@r:1/2', 'redis+sentinel://a:1,b:2/main', 'rediss+cluster://u:p@a:1']) {
      expect(readConfig({ REDIS_URL: url }).engines.redis).toEqual({ url })
    }
    for (const url of ['http://r', 'redis+sentinel://a:1', 'redis+cluster://a']) {
      expect(() => readConfig({ REDIS_URL: url })).toThrow(
        'REDIS_URL must be an address of the form redis://host:port/database or rediss://…, redis+sentinel://host:port,host:port/master',
      )
    }
  })

  it('takes several nodes of Elasticsearch, and either an API key or a user', () => {
    const env = { ELASTICSEARCH_URL: 'https://a:9200, https://b:9200', ELASTICSEARCH_API_KEY: 'a2V5' }
    expect(readConfig(env).engines.elasticsearch).toMatchObject({ url: env.ELASTICSEARCH_URL, apiKey: 'a2V5' })
    for (const url of [',', 'https://a:9200,ftp://b']) {
      expect(() => readConfig({ ELASTICSEARCH_URL: url })).toThrow(/^ELASTICSEARCH_URL must be a list of addresses/)
    }
    expect(() => readConfig({ ...env, ELASTICSEARCH_URL: 'https://a:9200,https://u:p@b:9200' })).toThrow(
      /^ELASTICSEARCH_URL must name no user when ELASTICSEARCH_API_KEY is set/,
    )
  })

  it('lays the offers of a shop into fewer shards than there are, or into all', () => {
    const env = { ELASTICSEARCH_URL: 'http://e:9200', ELASTICSEARCH_SHARDS: '4' }
    expect(readConfig(env).engines.elasticsearch).toMatchObject({ shards: 4, perShop: 0 })
    const perShop = (ELASTICSEARCH_SHARDS_PER_SHOP: string) => readConfig({ ...env, ELASTICSEARCH_SHARDS_PER_SHOP })
    expect(perShop('3').engines.elasticsearch).toMatchObject({ perShop: 3 })
    expect(() => perShop('4')).toThrow(/^ELASTICSEARCH_SHARDS_PER_SHOP must be below ELASTICSEARCH_SHARDS/)
  })

  it.each([
    ['CLICKHOUSE_CLUSTER', 'main', 'CLICKHOUSE_URL'],
    ['ELASTICSEARCH_API_KEY', 'a2V5', 'ELASTICSEARCH_URL'],
    ['ELASTICSEARCH_SHARDS', '4', 'ELASTICSEARCH_URL'],
    ['KAFKA_PASSWORD', 'secret', 'KAFKA_BROKERS'],
    ['KAFKA_TOPIC_PARTITIONS', 'emissions:24', 'KAFKA_BROKERS'],
  ])('refuses %s for an embedded engine', (key, value, address) => {
    expect(() => readConfig({ [key]: value, [address]: ' ' })).toThrow(`${key} needs ${address}`)
  })

  it('takes settings of an embedded engine that are the defaults', () => {
    expect(readConfig({ ELASTICSEARCH_SHARDS: '1', KAFKA_TLS: 'false', KAFKA_PARTITIONS: '0' }).engines.kafka).toBe(
      null,
    )
  })

  it('never repeats an address, which may hold a password', () => {
    const secret = 'p4ssword'
    expect(() => readConfig({ CLICKHOUSE_URL: `ftp://u:${secret}@c` })).toThrow(expect.not.stringContaining(secret))
  })

  it('prints what it was given of a setting that is no secret, and of no other', () => {
    expect(() => readConfig({ HTTP_PORT: 'eighty' })).toThrow(
      'HTTP_PORT must be a whole number from 0 to 65535, not "eighty"',
    )
    const secrets = Object.keys(settings).filter((key) => 'writeOnly' in settings[key as keyof typeof settings])
    expect(secrets).toContain('KAFKA_PASSWORD')
    expect(secrets).toContain('REDIS_URL')
    expect(secrets).toContain('SHOW_ID_KEYS')
    const secret = '-s3cret-'
    const all = Object.fromEntries(secrets.map((key) => [key, secret]))
    expect(() => readConfig(all)).toThrow(expect.not.stringContaining(secret))
  })

  it('refuses a list without any entry where one is needed', () => {
    expect(() => readConfig({ ROLES: ' , ' })).toThrow(/^ROLES must be a comma-separated list/)
  })

  it('is documented key by key, with the same defaults in the docs and in the code', () => {
    const docs = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
    const listed = new Map([...docs.matchAll(/^\| `([A-Z_]+)` \|.*\| ([^|]+) \|$/gm)].map((m) => [m[1]!, m[2]!]))
    expect([...listed.keys()].sort()).toEqual(Object.keys(settings).sort())
    for (const [key, { default: usual }] of Object.entries<object & { default?: unknown }>({ ...settings })) {
      if (usual === undefined || usual === '' || key === 'ROLES') continue
      expect([key, listed.get(key)]).toEqual([key, `\`${usual}\``])
    }
  })
})
