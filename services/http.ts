import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, type FastifyError, type FastifySchemaValidationError } from 'fastify'
import { type FieldError, Problem } from './domain/errors.ts'

/** Bodies over this are refused with 413 unless a route sets its own limit. */
const BODY_LIMIT_BYTES = 1024 * 1024
const ERRORS_LISTED_MAX = 100

/** The HTTP server that the services' routes are registered on: JSON, TypeBox validation, problem+json errors. */
export function createHttpServer(options: { logger: FastifyBaseLogger | false }) {
  const server = Fastify({
    ...(options.logger ? { loggerInstance: options.logger } : { logger: false }),
    disableRequestLogging: true,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    return503OnClosing: true,
  })
    .setValidatorCompiler(TypeBoxValidatorCompiler)
    .withTypeProvider<TypeBoxTypeProvider>()

  server.setErrorHandler((error: FastifyError | Problem, request, reply) => {
    const problem = error instanceof Problem ? error : toProblem(error)
    if (problem.status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, problem.message)
    if (problem.retryAfterSeconds !== null) reply.header('retry-after', String(problem.retryAfterSeconds))
    return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem))
  })
  server.setNotFoundHandler((request) => {
    throw new Problem('NOT_FOUND', `There is nothing at ${request.method} ${request.url.split('?')[0]}`)
  })
  return server
}

export type HttpServer = ReturnType<typeof createHttpServer>

function toProblem(error: FastifyError): Problem {
  if (error.validation) {
    const errors = error.validation.flatMap((e) => fieldErrors(e, error.validationContext ?? 'body'))
    return new Problem(
      'INVALID',
      errors
        .map((e) => `${e.path}: ${e.message}`)
        .slice(0, 5)
        .join('; '),
      {
        errors: errors.slice(0, ERRORS_LISTED_MAX),
      },
    )
  }
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('MALFORMED_JSON', error.message)
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('TOO_LARGE', error.message)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('UNSUPPORTED_MEDIA_TYPE', error.message)
  }
  if (error instanceof SyntaxError) return new Problem('MALFORMED_JSON', error.message)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Problem(error.statusCode === 413 ? 'TOO_LARGE' : 'INVALID', error.message)
  }
  return new Problem('INTERNAL', 'The request could not be carried out', { cause: error })
}

/** The paths and messages of a schema violation; a missing property is reported at the property's own path. */
export function fieldErrors(violation: FastifySchemaValidationError, context: string): FieldError[] {
  const at = context === 'body' ? violation.instancePath : `${context}${violation.instancePath}`
  const missing = violation.params.requiredProperties ?? violation.params.missingProperty
  if (violation.keyword === 'required' && missing !== undefined) {
    return [missing].flat().map((name) => ({ path: `${at}/${name}`, message: 'is required' }))
  }
  return [{ path: at || '/', message: violation.message ?? 'is not valid' }]
}
