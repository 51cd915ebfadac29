import { createWholeApi } from './whole-api.ts'

interface OpenApi<O> {
  paths: Record<string, Record<string, O>>
}

/** The OpenAPI document of the whole API, as the program answers it. */
export async function readOpenApi<D extends OpenApi<unknown>>(): Promise<D> {
  const server = await createWholeApi()
  const document = (await server.inject('/docs/json')).json<D>()
  await server.close()
  return document
}

/** The operations of a document with their names, such as `GET /v1/panel/shops`. */
export const operationsOf = <O>({ paths }: OpenApi<O>): [name: string, operation: O][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, O] => [`${method.toUpperCase()} ${path}`, operation]),
  )
