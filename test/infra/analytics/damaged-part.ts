import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Analytics } from '../../../infra/analytics/port.ts'

/** What may happen to a file. */
export const damages = {
  truncated: async (path: string) => truncate(path, Math.floor((await readFile(path)).length / 2)),
  empty: (path: string) => truncate(path),
  lost: (path: string) => rm(path),
  altered: async (path: string) => {
    const bytes = await readFile(path)
    for (let at = 0; at < bytes.length; at += 50) bytes[at]! ^= 0xff
    await writeFile(path, bytes)
  },
} as const satisfies Record<string, (path: string) => Promise<void>>
export type Damage = keyof typeof damages

/** Columns (or all of them, in a compact part), and where the granules begin in them. */
export const FILES = { columns: /^(?!skp_idx|primary).*\.bin$/, marks: /^(?!skp_idx|primary).*\.c?mrk\d$/ } as const

/**
 * Damages files of all parts of a table, also of those that were merged into others and would be taken in their place. Call it before
 * anything has read the parts: what is read stays in memory.
 * @returns the names of the active ones, the largest first.
 */
export async function damageParts(
  analytics: Pick<Analytics, 'query'>,
  table: string,
  { damage, file, most = Number.MAX_SAFE_INTEGER }: { damage: Damage; file: RegExp; most?: number },
): Promise<string[]> {
  const parts = await analytics.query<{ name: string; path: string; active: number }>(
    `SELECT name, path, active FROM system.parts WHERE database = currentDatabase() AND table = {table:String}
     ORDER BY active DESC, rows DESC LIMIT {most:Int64}`,
    { table, most },
  )
  for (const { path } of parts) {
    const files = (await readdir(path)).filter((name) => file.test(name))
    if (files.length === 0) throw new Error(`The part ${path} has no such file`)
    for (const name of files) await damages[damage](join(path, name))
  }
  return parts.flatMap(({ name, active }) => (active ? [name] : []))
}
