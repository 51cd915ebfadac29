import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply } from 'fastify'
import { Problem } from '../domain/errors.ts'
import type { HttpServer } from '../http/server.ts'
import { NONCE_PLACEHOLDER } from './nonce.ts'

/** Where `make build` puts the browser's files. */
const PANEL_DIST = join(import.meta.dirname, 'dist')

const NONCE_BYTES = 16
const ASSETS = 'assets/'

export interface PanelDeps {
  randomBytes: (size: number) => Buffer
  /** Folder of the built files. */
  dist?: string
}

/** Serves the panel: its page at every path under /panel/, its files under /panel/assets/. Pass it to `server.register`. */
export function panelApp({ randomBytes, dist = PANEL_DIST }: PanelDeps) {
  const file = join(dist, 'index.html')
  const page = existsSync(file) ? readFileSync(file, 'utf8') : null
  const assets = join(dist, ASSETS)
  const files = new Set(page === null ? [] : readdirSync(assets))
  const hide = { schema: { hide: true } }

  function sendPage(reply: FastifyReply): FastifyReply {
    if (page === null) throw new Problem('UNAVAILABLE', 'The panel is not built: run `make build`, and start again')
    const nonce = randomBytes(NONCE_BYTES).toString('base64url')
    return reply
      .headers({ ...PAGE_HEADERS, 'content-security-policy': contentPolicy(nonce) })
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE_PLACEHOLDER, nonce))
  }

  return async (server: HttpServer): Promise<void> => {
    server.get('/', hide, async (_request, reply) => reply.redirect('/panel/'))
    server.get('/panel', hide, async (_request, reply) => sendPage(reply))
    server.get<{ Params: { '*': string } }>('/panel/*', hide, async (request, reply) => {
      // A page of an older build may ask for a file that is gone: answer 404, not the page.
      const path = request.params['*']
      if (!path.startsWith(ASSETS)) return sendPage(reply)
      const name = path.slice(ASSETS.length)
      if (!files.has(name)) throw new Problem('NOT_FOUND', 'There is no such file')
      return reply.sendFile(name)
    })
    if (page === null) return
    await server.register(fastifyStatic, {
      root: assets,
      // The route above serves the files that were there at the start.
      serve: false,
      // File names change with their content.
      immutable: true,
      maxAge: '365d',
      preCompressed: true,
      setHeaders: (reply) => reply.headers(FILE_HEADERS),
    })
  }
}

const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

const PAGE_HEADERS = {
  ...FILE_HEADERS,
  'cache-control': 'no-cache',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Allows scripts of this origin only, but pictures from anywhere: products in feeds have their pictures at the shops. */
function contentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob: http: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
