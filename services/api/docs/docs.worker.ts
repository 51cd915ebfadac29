import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type RouteOptions } from 'fastify'
import { serveConnections, yieldThisThread } from '../../../infra/threads/worker.ts'
import { withExamples } from './examples.ts'

export interface DocsWorkerData {
  openapi: NonNullable<FastifyDynamicSwaggerOptions['openapi']>
  routes: readonly Pick<RouteOptions, 'method' | 'url' | 'schema'>[]
}

export interface DocsPage {
  statusCode: number
  headers: OutgoingHttpHeaders
  body: Uint8Array
}

/**
 * The thread that makes the documentation: a server that listens nowhere, with the same routes. Making the document takes a few
 * tenths of a second, and as YAML a few more.
 */
const { openapi, routes } = workerData as DocsWorkerData
yieldThisThread()
const logo = { type: 'image/svg+xml', content: readFileSync(new URL('./logo.svg', import.meta.url)) }
const icon = readFileSync(new URL('../../panel/web/icon.svg', import.meta.url))
const css = readFileSync(new URL('./docs.css', import.meta.url), 'utf8')
const server = Fastify({ routerOptions: { ignoreTrailingSlash: true }, exposeHeadRoutes: false })
server.setValidatorCompiler(() => () => true).setSerializerCompiler(() => JSON.stringify)
await server.register(swagger, { openapi })
await server.register(swaggerUi, {
  routePrefix: '/docs',
  logo,
  theme: {
    title: 'Endcap API',
    css: [{ filename: 'docs.css', content: css }],
    favicon: [{ filename: 'icon.svg', rel: 'icon', type: logo.type, sizes: 'any', content: icon }],
  },
  // The sections are closed at first: together, their operations fill many screens.
  uiConfig: { docExpansion: 'none', deepLinking: true, defaultModelsExpandDepth: -1 },
})
for (const { schema = {}, ...route } of routes) {
  server.route({ ...route, schema: withExamples(schema), handler: () => {} })
}
await server.ready()

/** @returns null when there is no such page. */
async function page(path: string): Promise<DocsPage | null> {
  const { statusCode, headers, rawPayload: body } = await server.inject(path)
  if (statusCode >= 400) return null
  const { connection: _, 'accept-ranges': __, ...kept } = headers
  return { statusCode, headers: { ...kept, etag: `"${hash('sha256', body, 'base64url')}"` }, body }
}

serveConnections(parentPort!, { page }, () => server.close())
