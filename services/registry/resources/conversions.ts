import type { FieldErrors } from './field-errors.ts'

/** Conversions between the API's form (ISO 8601 times) and the stored form (UTC epoch milliseconds). */

/** Parses a time that passed the schema. The schema accepts some times that do not exist, such as leap seconds. */
export function toEpochMs(time: string, path: string, fieldErrors: FieldErrors): number {
  const epochMs = Date.parse(time)
  fieldErrors.check(!Number.isNaN(epochMs), path, 'is not a time that exists')
  return epochMs
}

export function toIso(epochMs: number): string
export function toIso(epochMs: number | null): string | null
export function toIso(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString()
}

/** The fields that every entity has in an answer. */
export function entityFields(entity: { id: string; version: number; updatedAt: number }) {
  return { id: entity.id, version: entity.version, updatedAt: toIso(entity.updatedAt) }
}
