import type { RouteOptions } from 'fastify'
import { threadOnDemand } from '../../infra/threads/on-demand.ts'
import { startWorker } from '../../infra/threads/worker.ts'
import type { Content } from '../../schemas/http/content.ts'
import { ProblemBody } from '../../schemas/http/problem.ts'
import { Problem } from '../domain/errors.ts'
import type { HttpServer } from '../http/server.ts'
import type { DocsPage, DocsWorkerData } from './docs.worker.ts'

/** The documentation tag of a route, by the prefix of its path; the first match counts. */
const TAGS: readonly { prefix: string; tag: string; secured: boolean | 'panel' }[] = [
  { prefix: '/v1/panel/session', tag: 'Session', secured: false },
  { prefix: '/v1/panel/', tag: 'Management', secured: 'panel' },
  { prefix: '/v1/slots/', tag: 'Technical ad units', secured: true },
  { prefix: '/v1/feed/', tag: 'Product update', secured: true },
  { prefix: '/v1/dsa/view-event', tag: 'Events', secured: false },
  { prefix: '/v1/dsa/click-event', tag: 'Events', secured: false },
  { prefix: '/v1/banner/dsa/view-event', tag: 'Events', secured: false },
  { prefix: '/v1/banner/dsa/click-event', tag: 'Events', secured: false },
  { prefix: '/v1/ev', tag: 'Events', secured: false },
  { prefix: '/v1/images/', tag: 'Images', secured: false },
  { prefix: '/v1/', tag: 'Ad selection', secured: false },
  { prefix: '/', tag: 'Operation', secured: false },
]

const PROBLEM = {
  description: 'What is wrong, and in which field: see docs/errors.md',
  content: { 'application/problem+json': { schema: ProblemBody } },
}

export interface DocsOptions {
  version: string
  publicUrl: string
}

/** Names of pages, each in one spelling only: those that were made are kept by their paths. */
const PAGE_NAME = /^(?:(?:static\/)?[\w-]+(?:\.[\w-]+)*)?$/

const IDLE_MS = 60_000

/**
 * OpenAPI 3.1 at /docs (a page), /docs/json and /docs/yaml, from the schemas of all routes. Must be called before the routes
 * are registered. Most processes are never asked for it, so a thread that starts with the first request makes the documentation. Each
 * page is made once, because anybody may ask for it.
 */
export function registerDocs(server: HttpServer, options: DocsOptions): void {
  const routes: RouteOptions[] = []
  server.addHook('onRoute', (route) => void routes.push(route))
  const start = () => startWorker('docs', new URL('./docs.worker.ts', import.meta.url), workerDataOf(routes, options))
  const closedError = () => new Error('The thread that makes the documentation has ended')
  const thread = threadOnDemand(start, { idleMs: IDLE_MS, closedError })
  server.addHook('onClose', () => thread.close())
  const pages = new Map<string, DocsPage>()

  async function makePage(path: string): Promise<DocsPage> {
    const page = await thread.call<DocsPage | null>('page', [path])
    if (page === null) throw noPage()
    return page
  }

  for (const url of ['/docs', '/docs/*']) {
    server.get<{ Params: { '*'?: string } }>(url, { schema: { hide: true } }, async (request, reply) => {
      const { '*': name } = request.params
      if (name !== undefined && !PAGE_NAME.test(name)) throw noPage()
      // The links of the first page depend on whether its address ends with a slash.
      const path = name === undefined ? '/docs' : `/docs/${name}`
      const page = pages.get(path) ?? (await makePage(path))
      pages.set(path, page)
      reply.headers(page.headers)
      if (request.headers['if-none-match'] === page.headers.etag) return reply.code(304).send()
      return reply.code(page.statusCode).send(page.body)
    })
  }
}

const noPage = () => new Problem('NOT_FOUND', 'There is no such page of the documentation')

const workerDataOf = (routes: readonly RouteOptions[], { version, publicUrl }: DocsOptions): DocsWorkerData => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Endcap',
      version,
      description:
        'Ad server for shops: selects sponsored products and banners, takes in views, clicks and purchases, and attributes sales.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'endcap_session',
          description: 'Over https, the name of the cookie is `__Host-endcap_session`',
        },
      },
    },
    tags: [...new Set(TAGS.map(({ tag }) => tag))].map((name) => ({ name })),
  },
  routes: routes.flatMap(({ method, url, schema = {} }) =>
    schema.hide === true ? [] : [{ method, url, schema: documented(schema, url) }],
  ),
})

interface Documented {
  tags?: readonly string[]
  security?: unknown
  response?: unknown
  hide?: boolean
  /** Documents a body that is read as a stream, without validation. */
  stream?: ReturnType<typeof Content>
  body?: unknown
}

declare module 'fastify' {
  interface FastifySchema {
    stream?: Documented['stream']
  }
}

/** Adds what all routes have in common to the schema of a route. */
function documented<S extends Documented>({ stream, ...schema }: S, url: string): S {
  const { tag, secured } = TAGS.find(({ prefix }) => url.startsWith(prefix)) ?? TAGS.at(-1)!
  return {
    ...(schema as S),
    ...(stream ? { body: stream } : {}),
    tags: schema.tags ?? [tag],
    ...(secured ? { security: [{ bearer: [] }, ...(secured === 'panel' ? [{ session: [] }] : [])] } : {}),
    response: { ...(schema.response as object | undefined), '4xx': PROBLEM, '5xx': PROBLEM },
  }
}
