import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { RecordName } from '../topics.ts'

const FOLDER = new URL('./', import.meta.url)
const RELEASED = new URL('released/', FOLDER)

/** The schema that this program writes a record with. */
export function currentSchema(name: RecordName): object {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  const path = paths.find((each) => basename(each) === `${name}.avsc`)
  if (path === undefined) throw new Error(`There is no ${name}.avsc in schemas/avro`)
  return schemaAt(new URL(path, FOLDER))
}

/** Every released version of a record's schema, oldest first. */
export function releasedSchemas(name: RecordName): { version: number; schema: object }[] {
  return readdirSync(RELEASED)
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => ({ version: Number(file.split('.')[1]), schema: schemaAt(new URL(file, RELEASED)) }))
    .sort((a, b) => a.version - b.version)
}

function schemaAt(url: URL): object {
  return JSON.parse(readFileSync(url, 'utf8'))
}
