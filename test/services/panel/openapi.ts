import { createHash } from 'node:crypto'
import { createWholeApi } from '../../whole-api.ts'

interface Document {
  paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>
}

/**
 * The OpenAPI document that the panel's client is generated from, as JSON text: without the answers that are errors, which
 * are all of one form that the client knows.
 */
export async function openApiText(): Promise<string> {
  const server = await createWholeApi()
  const document = (await server.inject('/docs/json')).json<Document>()
  await server.close()
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) delete operation.responses?.['4XX']
  }
  return JSON.stringify(document)
}

/** First line of the generated client: says which document it is of. */
export function stampOf(openApi: string): string {
  return `// Made by \`make client\` from the OpenAPI document with SHA-256 ${createHash('sha256').update(openApi).digest('hex')}`
}

if (import.meta.main) {
  const text = await openApiText()
  process.stdout.write(process.argv[2] === 'stamp' ? `${stampOf(text)}\n` : text)
}
