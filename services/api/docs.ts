import { hash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import type { Content } from '../../schemas/http/content.ts'
import { ProblemBody } from '../../schemas/http/problem.ts'
import { Problem } from '../domain/errors.ts'
import type { HttpServer } from '../http/server.ts'

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

interface Page {
  statusCode: number
  headers: OutgoingHttpHeaders
  body: Buffer
}

/**
 * OpenAPI 3.1 at /docs (a page), /docs/json and /docs/yaml, from the schemas of all routes. Must be called before the routes
 * are registered. Most processes are never asked for it, so the documentation is made at the first request. A separate server,
 * which has the same routes and listens nowhere, makes it. Each page is made once, because anybody may ask for it and the largest
 * take 30 ms.
 */
export function registerDocs(server: HttpServer, options: DocsOptions): void {
  const routes: RouteOptions[] = []
  server.addHook('onRoute', (route) => void routes.push(route))
  let docs: Promise<FastifyInstance> | null = null
  server.addHook('onClose', async () => (await docs)?.close())
  const pages = new Map<string, Page>()

  async function makePage(path: string): Promise<Page> {
    docs ??= documentationOf(routes, options)
    const { statusCode, headers, rawPayload: body } = await (await docs).inject(path)
    if (statusCode >= 400) throw noPage()
    const { connection: _, 'accept-ranges': __, ...kept } = headers
    const etag = `"${hash('sha256', body, 'base64url')}"`
    return { statusCode, headers: { ...kept, etag }, body }
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

async function documentationOf(routes: readonly RouteOptions[], options: DocsOptions): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const server = Fastify({ routerOptions: { ignoreTrailingSlash: true }, exposeHeadRoutes: false })
  server.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Endcap',
        version: options.version,
        description:
          'Ad server for shops: selects sponsored products and banners, takes in views, clicks and purchases, and attributes sales.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: options.publicUrl }],
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
    transform: ({ schema, url }) => ({ schema: documented(schema ?? {}, url), url }),
  })
  await server.register(swaggerUi, { routePrefix: '/docs' })
  for (const { method, url, schema } of routes) {
    if (schema?.hide !== true) server.route({ method, url, schema, handler: () => {} })
  }
  await server.ready()
  return server
}

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
