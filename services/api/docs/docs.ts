import type { RouteOptions } from 'fastify'
import { threadOnDemand } from '../../../infra/threads/on-demand.ts'
import { startWorker } from '../../../infra/threads/worker.ts'
import type { Content } from '../../../schemas/http/content.ts'
import { ProblemBody } from '../../../schemas/http/problem.ts'
import { fieldProblem, Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http/server.ts'
import type { DocsPage, DocsWorkerData } from './docs.worker.ts'
import { sectionOf, sections } from './sections.ts'

const answeredWith = (description: string, example: Problem) => ({
  description,
  content: { 'application/problem+json': { schema: ProblemBody, example: example.toJSON() } },
})
const PROBLEMS = {
  '4xx': answeredWith(
    'What is wrong, and in which field: see docs/errors.md',
    fieldProblem('INVALID', [{ path: '/cpc', message: "must be at least the shop's reserve of 0.05" }]),
  ),
  '5xx': answeredWith(
    'What does not work at the moment: see docs/errors.md',
    new Problem('UNAVAILABLE', 'The service is temporarily unavailable'),
  ),
}

const INTRODUCTION = `Endcap is an ad server for shops: it selects sponsored products and banners, takes in views, clicks and purchases, and
attributes sales to campaigns.

- **Ads and events need no token**: browsers call them. A server of the shop that sends its token may also send more and say when events
  happened, and pages can sign their events.
- **Everything under \`/v1/panel/\`** takes a token (\`Authorization: Bearer …\`) or the session of somebody who is signed in. A caller sees
  what belongs to its account.
- **Errors** are problem documents (RFC 9457): \`code\` says what is wrong, and \`errors\` names each wrong field.
- **Money** is an amount in the currency of the shop, **times** are ISO 8601 with an offset, and lists come in pages with \`nextCursor\`.

\`docs/integration.md\` of the repository leads through a first integration, and \`docs/errors.md\` lists all codes.`

export interface DocsOptions {
  version: string
  publicUrl: string
}

/** Names of pages, each in one spelling only: those that were made are kept by their paths. */
const PAGE_NAME = /^(?:(?:static\/(?:theme\/)?)?[\w-]+(?:\.[\w-]+)*)?$/

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
      description: INTRODUCTION,
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
          description:
            'Over https, the name of the cookie is `__Host-endcap_session`. A session of several accounts also names the one that ' +
            'a request acts for in the header `endcap-account`',
        },
      },
    },
    tags: sections.map(({ name, description }) => ({ name, description })),
  },
  routes: routes.flatMap(({ method, url, schema = {} }) =>
    schema.hide === true ? [] : [{ method, url, schema: documented(schema, url) }],
  ),
})

interface Documented {
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

const SECURITY = {
  ANYBODY: undefined,
  TOKEN: [{ bearer: [] }],
  TOKEN_OR_SESSION: [{ bearer: [] }, { session: [] }],
}

/** Adds what all routes have in common to the schema of a route. */
function documented<S extends Documented>({ stream, ...schema }: S, url: string): S {
  const { name, callers } = sectionOf(url)
  const security = SECURITY[callers]
  return {
    ...(schema as S),
    ...(stream ? { body: stream } : {}),
    tags: [name],
    ...(security ? { security } : {}),
    response: { ...(schema.response as object | undefined), ...PROBLEMS },
  }
}
