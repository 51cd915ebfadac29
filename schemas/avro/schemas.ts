import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { RecordName } from '../topics.ts'

const FOLDER = new URL('./', import.meta.url)
const RELEASED = 'released/'
const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })

/** The schema that this program writes a record with. */
export function currentSchema(name: RecordName): object {
  const path = paths.find((each) => basename(each) === `${name}.avsc`)
  if (path === undefined) throw new Error(`There is no ${name}.avsc in schemas/avro`)
  return schemaAt(path)
}

/** Every released version of a record's schema, oldest first. */
export function releasedSchemas(name: RecordName): { version: number; schema: object }[] {
  return paths
    .filter((path) => path.startsWith(`${RELEASED}${name}.`))
    .map((path) => ({ version: Number(path.split('.')[1]), schema: schemaAt(path) }))
    .sort((a, b) => a.version - b.version)
}

function schemaAt(path: string): object {
  return JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8'))
}
