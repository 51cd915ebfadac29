import { readdirSync, readFileSync } from 'node:fs'
import type { RecordName } from './topics.ts'

/** The schema that this program writes a record with. */
export function currentSchema(name: RecordName): object {
  return schemaIn(`${name}.avsc`)
}

/** Every released version of a record's schema, oldest first. */
export function releasedSchemas(name: RecordName): { version: number; schema: object }[] {
  return readdirSync(new URL('released/', import.meta.url))
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => ({ version: Number(file.split('.')[1]), schema: schemaIn(`released/${file}`) }))
    .sort((a, b) => a.version - b.version)
}

function schemaIn(file: string): object {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
}
