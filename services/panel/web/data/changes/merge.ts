import { changedFields } from './changed-fields.ts'

/** What two people have made of one thing. */
export interface Versions<T> {
  /** What both have changed. */
  base: T
  /** As it was changed on this page. */
  own: T
  /** As others have saved it. */
  others: T
}

/** A field that others have changed, and that was changed on this page to another value. */
export interface Clash {
  field: string
  own: unknown
  others: unknown
}

/**
 * The values of others, with the fields that were changed on this page. Where both have changed a field, it keeps what was changed
 * here, and is a clash.
 */
export function mergedFields<T extends object>({ base, own, others }: Versions<T>): { values: T; clashes: Clash[] } {
  const changedHere = changedFields(base, own)
  const values = { ...others, ...changedHere }
  const changedThere = changedFields(base, others) as Record<string, unknown>
  const clashes = Object.entries(changedHere)
    .filter(([field, value]) => field in changedThere && JSON.stringify(value) !== JSON.stringify(changedThere[field]))
    .map(([field, value]) => ({ field, own: value, others: changedThere[field] }))
  return { values, clashes }
}

/** The lines of others, without those that were removed here, and with those that were added here at the end. */
export function mergedLines({ base, own, others }: Versions<string>): string {
  if (own === base) return others
  const [before, mine] = [base.split('\n'), own.split('\n')]
  const kept = others.split('\n').filter((line) => mine.includes(line) || !before.includes(line))
  const added = mine.filter((line) => line !== '' && !before.includes(line) && !kept.includes(line))
  return [...kept, ...added].join('\n')
}
