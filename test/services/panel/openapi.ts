import { createHash } from 'node:crypto'
import { readOpenApi } from '../api/document.ts'

interface Document {
  paths: Record<string, Record<string, { operationId?: string; responses?: Record<string, unknown> }>>
}

/**
 * The OpenAPI document from which the panel's client is generated, as JSON text. Error answers are left out, because all have one
 * form, which the client knows, and so is what is only for readers and other clients: examples, and names of operations.
 */
export async function openApiText(): Promise<string> {
  const document = await readOpenApi<Document>()
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      delete operation.responses?.['4XX']
      delete operation.operationId
    }
  }
  return JSON.stringify(document, (key, value) => (key === 'example' ? undefined : value))
}

/** The first line of the generated client, which identifies the document. */
export function stampOf(openApi: string): string {
  return `// Made by \`make client\` from the OpenAPI document with SHA-256 ${createHash('sha256').update(openApi).digest('hex')}`
}

if (import.meta.main) {
  const text = await openApiText()
  process.stdout.write(process.argv[2] === 'stamp' ? `${stampOf(text)}\n` : text)
}
