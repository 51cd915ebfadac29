import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { createHttpServer } from '../../../services/http/server.ts'
import { panelApp } from '../../../services/panel/app.ts'
import { NONCE_PLACEHOLDER } from '../../../services/panel/nonce.ts'

const SCRIPT = 'console.log(1)'

const folder = mkdtempSync(join(tmpdir(), 'endcap-panel-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), `<script nonce="${NONCE_PLACEHOLDER}"></script>`)
writeFileSync(join(folder, 'assets', 'main-1.js'), SCRIPT)
writeFileSync(join(folder, 'assets', 'main-1.js.gz'), gzipSync(SCRIPT))

function serverOf(dist: string) {
  const server = createHttpServer({ logger: false })
  server.register(panelApp({ randomBytes, dist }) as never)
  return server
}
const server = serverOf(folder)
const get = (url: string, headers = {}) => server.inject({ url, headers })

it('leads from / to the panel', async () => {
  const { statusCode, headers } = await get('/')
  expect([statusCode, headers.location]).toEqual([302, '/panel/'])
})

it.each(['/panel', '/panel/', '/panel/accounts/new', '/panel/campaigns/x.y'])('answers its page at %s', async (url) => {
  const { statusCode, headers, body } = await get(url)
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
  expect(body).toMatch(/^<script nonce="[\w-]{22}">/)
})

it('lets scripts and styles in by a nonce that is new each time, and nobody frame it', async () => {
  const nonces = await Promise.all(
    [1, 2].map(async () => {
      const { headers, body } = await get('/panel/')
      const nonce = /nonce="([^"]+)"/.exec(body)![1]!
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain(`script-src 'self' 'nonce-${nonce}';`)
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers['x-content-type-options']).toBe('nosniff')
      return nonce
    }),
  )
  expect(nonces[0]).not.toBe(nonces[1])
})

it('sends files for ever, as they were compressed by the build', async () => {
  const plain = await get('/panel/assets/main-1.js')
  expect(plain.body).toBe(SCRIPT)
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const small = await get('/panel/assets/main-1.js', { 'accept-encoding': 'gzip' })
  expect(small.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(small.rawPayload).toString()).toBe(SCRIPT)
})

it.each(['/panel/assets/none.js', '/panel/assets/..%2findex.html'])('has nothing at %s', async (url) => {
  const { statusCode, headers } = await get(url)
  expect(statusCode).toBe(404)
  expect(headers['cache-control']).toBeUndefined()
})

it('says how to build it when it is not built', async () => {
  const answer = await serverOf(join(folder, 'nothing')).inject('/panel/')
  expect(answer.statusCode).toBe(503)
  expect(answer.json().detail).toContain('make build')
})
