import type { FastifyPluginAsync } from 'fastify'

/** Rejects, or resolves to false, when the part does not work now. */
export type HealthCheck = () => Promise<unknown>

const CHECK_TIMEOUT_MS = 2_000

/**
 * GET /health/live: the process answers. GET /health/ready: 200 when every check holds, else 503 that names those
 * that do not; why they fail is in the log, since these routes are open to all.
 */
export function healthApp(deps: { checks: Readonly<Record<string, HealthCheck>> }): FastifyPluginAsync {
  return async (server) => {
    server.get('/health/live', async () => ({ status: 'ok' }))

    server.get('/health/ready', async (request, reply) => {
      const results = await Promise.all(
        Object.entries(deps.checks).map(async ([name, check]) => {
          const failure = await failureOf(check)
          if (failure) request.log.warn({ err: failure, check: name }, 'not ready')
          return [name, failure ? 'failed' : 'ok'] as const
        }),
      )
      const ready = results.every(([, result]) => result === 'ok')
      reply.code(ready ? 200 : 503).header('cache-control', 'no-store')
      return { status: ready ? 'ok' : 'failed', checks: Object.fromEntries(results) }
    })
  }
}

async function failureOf(check: HealthCheck): Promise<Error | null> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS)
  try {
    const result = await Promise.race([check(), late])
    return result === false ? new Error('the check does not hold') : null
  } catch (error) {
    return error as Error
  } finally {
    clearTimeout(timer)
  }
}
