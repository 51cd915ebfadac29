import type { Findings } from './findings.ts'

/** Times between the API (ISO 8601) and the inside (UTC epoch milliseconds). */

/** Reads a time that the schema let through; some that it lets through are none, like leap seconds. */
export function toEpochMs(time: string, path: string, findings: Findings): number {
  const epochMs = Date.parse(time)
  findings.check(!Number.isNaN(epochMs), path, 'is not a time that exists')
  return epochMs
}

export function toIso(epochMs: number): string
export function toIso(epochMs: number | null): string | null
export function toIso(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString()
}

/** The properties that every answer begins with. */
export function answered(entity: { id: string; version: number; updatedAt: number }) {
  return { id: entity.id, version: entity.version, updatedAt: toIso(entity.updatedAt) }
}
