import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Service {
  image: string
  build?: unknown
  environment: Record<string, string>
  command?: string[]
  healthcheck: { test: string[]; interval: string; timeout: string; retries: number }
  deploy: { resources: { limits: { memory: string } } }
  restart: string
  logging: { driver: string; options: Record<string, string> }
  volumes?: string[]
  networks: string[]
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  read_only?: boolean
  scale?: string
}
const compose = parse(read('infra/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  networks: Record<string, unknown>
}
const services = Object.entries(compose.services)
const programs = services.filter(([, { image }]) => image.startsWith('endcap:'))

describe('every service of compose.yaml', () => {
  it.each(services)('%s has a pinned image, a health check, limits, and is started again', (_name, service) => {
    expect(service.image).toMatch(/:(\d|\$\{ENDCAP_VERSION:-\d)/)
    const { test, interval, timeout, retries } = service.healthcheck
    expect(test[0]).toBe('CMD')
    expect([interval, timeout]).toEqual([expect.stringMatching(/^\d+s$/), expect.stringMatching(/^\d+s$/)])
    expect(retries).toBeGreaterThan(0)
    expect(service.deploy.resources.limits.memory).toMatch(/^\d+[mg]$/)
    expect(service.restart).toBe('always')
    expect(service.logging).toEqual({
      driver: 'json-file',
      options: { 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': expect.stringMatching(/^\d$/) },
    })
  })

  it.each(services)('%s refers only to services, volumes and networks that there are', (_name, service) => {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(Object.keys(compose.services)).toContain(other)
      expect(condition).toBe('service_healthy')
    }
    const named = (service.volumes ?? []).map((volume) => volume.split(':')[0]!).filter((name) => !name.startsWith('.'))
    for (const volume of named) expect(Object.keys(compose.volumes)).toContain(volume)
    for (const network of service.networks) expect(Object.keys(compose.networks)).toContain(network)
  })

  it('is reached from outside by way of the proxy only', () => {
    expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['proxy'])
  })
})

describe('secrets in compose.yaml', () => {
  /** The settings of a service that hold a secret, wherever they are used. */
  const secretsOf = ({ environment, command, healthcheck }: Service) =>
    new Set(JSON.stringify([environment, command, healthcheck]).match(/[A-Z_]+(?=:\?[a-z0-9 ])/g))

  it('protect every engine that can ask for a password, and the program knows it', () => {
    const { clickhouse, elasticsearch, redis } = compose.services
    expect(secretsOf(clickhouse!)).toEqual(new Set(['CLICKHOUSE_PASSWORD']))
    expect(secretsOf(elasticsearch!)).toEqual(new Set(['ELASTICSEARCH_PASSWORD']))
    expect(elasticsearch!.environment['xpack.security.enabled']).toBe('true')
    expect(secretsOf(redis!)).toEqual(new Set(['REDIS_PASSWORD']))
    expect(redis!.command!.slice(-2)).toEqual(['--requirepass', expect.stringContaining('REDIS_PASSWORD')])
    for (const [name, { environment }] of programs) {
      expect(environment.CLICKHOUSE_URL, name).toMatch(/^http:\/\/endcap:\$\{CLICKHOUSE_PASSWORD:\?[^}]+\}@clickhouse:/)
      expect(environment.ELASTICSEARCH_URL, name).toMatch(
        /^http:\/\/elastic:\$\{ELASTICSEARCH_PASSWORD:\?[^}]+\}@elastic/,
      )
      expect(environment.REDIS_URL, name).toMatch(/^redis:\/\/default:\$\{REDIS_PASSWORD:\?[^}]+\}@redis:/)
    }
  })

  it('have no value of their own in the file', () => {
    const assigned = [...read('infra/compose.yaml').matchAll(/^\s*\w*(?:PASSWORD|TOKEN|KEYS|AUTH)\w*: +(\S+)/gm)]
    expect(assigned.length).toBeGreaterThan(2)
    for (const [line, value] of assigned) expect(value, line).toMatch(/^'?\$\{/)
  })

  it("give the operator's token to the registry alone", () => {
    const holders = services.filter(([, { environment }]) => environment && 'BOOTSTRAP_TOKEN' in environment)
    expect(holders.map(([name]) => name)).toEqual(['registry'])
  })

  it('are all named where .env is explained', () => {
    const asked = new Set([...read('infra/compose.yaml').matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name!))
    const explained = read('docs/operating.md')
    for (const name of asked) expect(explained).toContain(`\`${name}\``)
  })
})

describe('the program in compose.yaml', () => {
  it('has only settings that docs/configuration.md lists', () => {
    const documented = [...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, key]) => key)
    for (const [, { environment }] of programs) {
      expect(Object.keys(environment).filter((key) => !documented.includes(key))).toEqual([])
    }
  })

  it('runs every role, the registry once, and writes to no file system but its volume', () => {
    const roles = programs.map(([, { environment }]) => environment.ROLES)
    expect(new Set(roles)).toEqual(new Set(['registry', 'selection', 'intake', 'streams']))
    expect(roles.filter((role) => role === 'registry')).toHaveLength(1)
    expect(compose.services.registry!.scale).toBeUndefined()
    expect(programs.filter(([, { read_only }]) => !read_only)).toEqual([])
  })

  it.each(['intake', 'selection'])('keeps the spool of each process of %s in a volume of its own', (role) => {
    const ofRole = programs.filter(([, { environment }]) => environment.ROLES === role)
    const volumes = ofRole.map(([, service]) => {
      expect(service.scale).toBeUndefined()
      return service.volumes!.find((volume) => volume.endsWith(`:${service.environment.DATA_DIR}`))
    })
    expect(volumes).not.toContain(undefined)
    expect(new Set(volumes).size).toBe(ofRole.length)
  })

  it('is built of all that it imports, and with the version of Node that it asks for', () => {
    const dockerfile = read('infra/Dockerfile')
    const program = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
    const copied = [...program.matchAll(/^COPY (\w+) \.\/\1$/gm)].map(([, folder]) => folder)
    expect(copied.sort()).toEqual(['infra', 'schemas', 'services', 'streams'])
    const [, major] = dockerfile.match(/NODE_VERSION=(\d+)/)!
    expect(JSON.parse(read('package.json')).engines.node).toBe(`>=${major}`)
    expect(dockerfile).toMatch(/^USER [1-9]/m)
    expect(dockerfile).toMatch(/^HEALTHCHECK /m)
  })
})

it('names in the proxy only services that there are', () => {
  const upstreams = [...read('infra/proxy/nginx.conf').matchAll(/server ([a-z0-9-]+):8080 resolve/g)].map(
    ([, name]) => name!,
  )
  expect(upstreams.length).toBeGreaterThan(3)
  for (const name of upstreams) expect(Object.keys(compose.services)).toContain(name)
})
