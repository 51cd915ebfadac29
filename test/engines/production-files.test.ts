import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, createServer, type IncomingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultLimits } from '../../services/domain/limits.ts'
import { freePort } from '../free-port.ts'
import { waitFor } from '../wait-for.ts'

const run = promisify(execFile)
const infra = join(import.meta.dirname, '../../infra')

let hadolint: string
beforeAll(async () => {
  hadolint = (await run('bash', [join(infra, 'local/checkers.sh')])).stdout.trim()
})

it('hadolint finds nothing to say about the Dockerfile', async () => {
  const { stdout } = await run(hadolint, [join(infra, 'Dockerfile')])
  expect(stdout).toBe('')
})

describe('the proxy', () => {
  const names = ['registry', 'selection-1', 'selection-2', 'intake-1', 'intake-2']
  const servers: Server[] = []
  let folder: string
  let proxyPort: number
  let nginx: ReturnType<typeof spawn>
  const programSays = { status: 200 }

  /** Uses the file as it is, except for what only Docker and the newer nginx of its image support: host names, and resolving them again. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxy-'))
    proxyPort = await freePort()
    const healthPort = await freePort()
    let config = await readFile(join(infra, 'proxy/nginx.conf'), 'utf8')
    for (const name of names) {
      const server = createServer({ keepAliveTimeout: 1_000 * defaultLimits.idleSeconds }, (_request, response) => {
        response.statusCode = programSays.status
        response.end(name.split('-')[0])
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      servers.push(server)
      config = config.replace(
        `server ${name}:8080 resolve`,
        `server 127.0.0.1:${(server.address() as AddressInfo).port}`,
      )
    }
    config = config
      .replaceAll('listen 80', `listen 127.0.0.1:${proxyPort}`)
      .replace('127.0.0.1:8081', `127.0.0.1:${healthPort}`)
      // All loopback addresses but one stand for strangers.
      .replace('127.0.0.0/8 0;', '127.0.0.1/32 0;')
    await writeFile(join(folder, 'nginx.conf'), `daemon off; pid ${folder}/pid; error_log stderr;\n${config}`)
    await run('/usr/sbin/nginx', ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')])
    nginx = spawn('/usr/sbin/nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
    await waitFor(async () => (await fetch(`http://127.0.0.1:${healthPort}/health`).catch(() => null))?.ok === true)
  })
  afterAll(async () => {
    nginx?.kill('SIGTERM')
    for (const server of servers) server.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** The role that answered, or the proxy's own status. */
  const answerOf = (host: string, path: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { port: proxyPort, host: '127.0.0.1', path, headers: { host } }
      request(options, async (response) => {
        const body = (await response.toArray()).join('')
        resolve(response.statusCode === 200 ? body : String(response.statusCode))
      })
        .on('error', reject)
        .end()
    })

  it.each([
    ['api.ads.example', '/v1/slots/technical/home-top', 'registry'],
    ['api.ads.example', '/v1/feed/product', 'registry'],
    ['api.ads.example', '/v1/panel/reports?from=2026-01-01', 'registry'],
    ['api.ads.example', '/docs', 'registry'],
    ['dispatch.ads.example', '/v1/dsa/raw/batch?decorateResponse=true', 'selection'],
    ['dispatch.ads.example', '/v1/banner/dsa/raw/batch', 'selection'],
    ['dispatch.ads.example', '/v1/dsa/formatted/slot/element/1/4?searchData=lamp', 'selection'],
    ['dispatch.ads.example', '/v1/dsa/emissionInfo', 'selection'],
    ['dispatch.ads.example', '/v1/banner/dsa/emissionInfo', 'selection'],
    ['dispatch.ads.example', '/v1/dsa/view-event', 'intake'],
    ['dispatch.ads.example', '/v1/dsa/click-event', 'intake'],
    ['dispatch.ads.example', '/v1/banner/dsa/view-event', 'intake'],
    ['dispatch.ads.example', '/v1/banner/dsa/click-event', 'intake'],
    ['dispatch.ads.example', '/v1/ev/transaction', 'intake'],
    ['dispatch.ads.example', '/v1/ev/page-view', 'intake'],
    ['dispatch.ads.example', '/v1/ev/batch', 'intake'],
    ['dispatch.ads.example', '/v1/panel/accounts', '404'],
    ['events.ads.example', '/v1/events/purchase', 'intake'],
    ['events.ads.example', '/v1/events/cart', 'intake'],
    ['events.ads.example', '/v1/events/wishlist', 'intake'],
    ['events.ads.example', '/v1/ev/batch', '404'],
    ['elsewhere.example', '/v1/ev/batch', '421'],
  ])('%s%s goes to %s', async (host, path, role) => {
    expect(await answerOf(host, path)).toBe(role)
  })

  it('asks the other intake process when one is gone', async () => {
    await new Promise((resolve) => servers[4]!.close(resolve))
    const answers = await Promise.all(Array.from({ length: 8 }, () => answerOf('dispatch.ads.example', '/v1/ev/batch')))
    expect(new Set(answers)).toEqual(new Set(['intake']))
  })

  describe('limits', () => {
    const BURST = 3_000
    const agent = new Agent({ keepAlive: true, maxSockets: 50 })
    afterAll(() => agent.destroy())

    const ask = (localAddress: string, headers: Record<string, string> = {}, host = 'dispatch.ads.example') =>
      new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
        const options = { port: proxyPort, host: '127.0.0.1', path: '/v1/dsa/raw/batch', localAddress, agent }
        request({ ...options, headers: { host, ...headers } }, async (response) => {
          const body = (await response.toArray()).join('')
          resolve({ status: response.statusCode!, headers: response.headers, body })
        })
          .on('error', reject)
          .end()
      })
    const flood = async (localAddress: string, headers: Record<string, string> = {}) => {
      const answers = await Promise.all(Array.from({ length: 2 * BURST }, () => ask(localAddress, headers)))
      return answers.filter(({ status }) => status === 429)
    }

    it('answers a stranger who floods with a problem that says when to come again', async () => {
      const refused = await flood('127.0.0.2', { origin: 'https://shop.example' })
      expect(refused.length).toBeGreaterThan(0)
      const { headers, body } = refused[0]!
      expect(headers).toMatchObject({
        'content-type': 'application/problem+json',
        'retry-after': '1',
        'access-control-allow-origin': 'https://shop.example',
        'access-control-allow-credentials': 'true',
      })
      expect(JSON.parse(body)).toMatchObject({ code: 'RATE_LIMITED', status: 429 })
      expect((await ask('127.0.0.3')).status).toBe(200)
    })

    it('lets who shows a token send more, and who has no public address all', async () => {
      expect(await flood('127.0.0.4', { authorization: 'Bearer endcap_x' })).toEqual([])
      expect(await flood('127.0.0.1')).toEqual([])
    })

    it('passes on what the program itself refuses', async () => {
      programSays.status = 429
      const { status, body, headers } = await ask('127.0.0.5')
      programSays.status = 200
      expect([status, body, headers['retry-after']]).toEqual([429, 'selection', undefined])
    })
  })
})
