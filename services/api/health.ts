import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { sharedCall } from '../../infra/together.ts'
import { within } from '../../infra/within.ts'

/** Rejects, or resolves to false, while the part does not work; resolves to Degraded while it works with restrictions. */
export type HealthCheck = () => Promise<unknown>

/** The part works, but an operator must act. The reason is public: it names parts, never hosts or data. */
export class Degraded {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** The part does not work. The reason is public, like that of Degraded. */
export class NotReady extends Error {
  override readonly name = 'NotReady'
}

const CHECK_TIMEOUT_MS = 2_000

const Health = Type.Object({ status: Type.String({ description: 'ok' }) })
const LIVE = { operationId: 'checkLiveness', summary: 'Whether the process is alive', response: { 200: Health } }
const Readiness = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'failed']),
  checks: Type.Record(Type.String(), Type.String(), { description: 'The status of each check' }),
  reasons: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Why a check is not ok, as far as this may be public' }),
  ),
})
const READY = {
  operationId: 'checkReadiness',
  summary: 'Whether the process is ready to serve',
  response: { 200: Readiness, 503: Readiness },
}

/**
 * GET /health/live: the process answers. GET /health/ready: 200 when every check passes, otherwise 503 with the failed
 * checks. These routes are public: why an engine fails is in the log, and `reasons` has public reasons only.
 */
export function healthApp(deps: { checks: Readonly<Record<string, HealthCheck>> }): FastifyPluginAsync {
  return async (server) => {
    server.get('/health/live', { schema: LIVE }, async () => ({ status: 'ok' }))

    // Anybody may ask. However many ask at once, each engine is asked only once.
    const look = sharedCall(async () => {
      const results = await Promise.all(
        Object.entries(deps.checks).map(async ([name, check]) => {
          const result = await resultOf(check)
          if (result instanceof Error) server.log.warn({ err: result, check: name }, 'a readiness check failed')
          return { name, result }
        }),
      )
      const statuses = results.map(({ result }) => statusOf(result))
      const status = STATUSES.find((each) => statuses.includes(each)) ?? 'ok'
      const reasons = results.flatMap(({ name, result }) => {
        if (result instanceof NotReady) return [[name, result.message]]
        return result instanceof Degraded ? [[name, result.reason]] : []
      })
      return {
        status,
        checks: Object.fromEntries(results.map(({ name }, index) => [name, statuses[index]!])),
        ...(reasons.length > 0 ? { reasons: Object.fromEntries(reasons) } : {}),
      }
    })

    server.get('/health/ready', { schema: READY }, async (_request, reply) => {
      const readiness = await look()
      reply.code(readiness.status === 'failed' ? 503 : 200).header('cache-control', 'no-store')
      return readiness
    })
  }
}

/** The statuses other than `ok`, the worst first. */
const STATUSES = ['failed', 'degraded'] as const

function statusOf(result: Error | Degraded | null): 'failed' | 'degraded' | 'ok' {
  if (result === null) return 'ok'
  return result instanceof Degraded ? 'degraded' : 'failed'
}

async function resultOf(check: HealthCheck): Promise<Error | Degraded | null> {
  try {
    const result = await within(check(), CHECK_TIMEOUT_MS, () => new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`))
    if (result instanceof Degraded) return result
    return result === false ? new Error('the check failed') : null
  } catch (error) {
    return error as Error
  }
}
