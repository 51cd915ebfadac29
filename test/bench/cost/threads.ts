import { readdirSync, readFileSync } from 'node:fs'

/**
 * Thread names by the part that they work for. ClickHouse starts threads under many names, so every unlisted name counts as
 * ClickHouse. It also uses the threads of libuv's pool, which nothing else uses much.
 */
const PARTS: readonly [RegExp, string][] = [
  [/^(MainThread|node|http-\d+|docs)$/, 'main'],
  [/^streams$/, 'streams'],
  [/^log$/, 'log'],
  [/^counters$/, 'counters'],
  [/^index-/, 'index'],
  [/^(feeds|passwords|product-reader)$/, 'registry'],
  [/^(V8Worker|DelayedTaskSche|SignalInspector)$/, 'V8'],
]
const CLICKHOUSE = 'ClickHouse'

export const parts = [...PARTS.map(([, part]) => part), CLICKHOUSE]

/** Processor time that each thread of a process has used, in nanoseconds, by its id. */
export type ThreadTimes = ReadonlyMap<string, { part: string; nanos: number }>

export function threadTimes(pid: number): ThreadTimes {
  const folder = `/proc/${pid}/task`
  const times = new Map<string, { part: string; nanos: number }>()
  for (const id of readdirSync(folder)) {
    try {
      const name = readFileSync(`${folder}/${id}/comm`, 'utf8').trim()
      const nanos = Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')[0])
      times.set(id, { part: PARTS.find(([pattern]) => pattern.test(name))?.[1] ?? CLICKHOUSE, nanos })
    } catch {
      // The thread has ended meanwhile.
    }
  }
  return times
}

/** Seconds that each part has used between two readings. Threads that ended in between are left out. */
export function usedBetween(before: ThreadTimes, after: ThreadTimes): Record<string, number> {
  const used = Object.fromEntries(parts.map((part) => [part, 0]))
  for (const [id, { part, nanos }] of after) used[part]! += (nanos - (before.get(id)?.nanos ?? 0)) / 1e9
  return used
}
