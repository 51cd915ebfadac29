import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  /** Microseconds. */
  endTime: number
  samples: number[]
  timeDeltas: number[]
}

/** Maps folders and files to the parts of the program. The innermost listed frame decides. */
const PARTS: readonly [RegExp, string][] = [
  [/\/services\/selection\//, 'selection'],
  [/\/services\/intake\//, 'intake'],
  [/\/streams\/judge\//, 'judge'],
  [/\/streams\/sink\//, 'sink'],
  [/\/streams\/attribution\//, 'attribution'],
  [/\/infra\/event-log\//, 'log'],
  [/\/infra\/counters\//, 'counters'],
  [/\/infra\/product-index\//, 'index'],
  [/\/infra\/analytics\//, 'analytics'],
  [
    /\/(fastify|find-my-way|prom-client)\/|\/services\/(http|process|callers)\/|^node:(_http|net|internal\/stream)/,
    'HTTP',
  ],
]
const REST = 'Node and the rest'

/**
 * Seconds of JavaScript by part, over all threads, from the profiles that `--cpu-prof` has left in a folder.
 * @param window microseconds before the end of a profile: from, to.
 */
export function secondsByPart(folder: string, window: { from: number; to: number }): Record<string, number> {
  const seconds: Record<string, number> = {}
  for (const file of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
    const partOf = partsOf(profile)
    // The first sample is as far before the end of the profile as all deltas together.
    let untilEnd = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0)
    for (const [i, sample] of profile.samples.entries()) {
      const delta = profile.timeDeltas[i]!
      untilEnd -= delta
      const part = partOf.get(sample)
      if (part && untilEnd <= window.from && untilEnd >= window.to) seconds[part] = (seconds[part] ?? 0) + delta / 1e6
    }
  }
  return seconds
}

/** The part of each node. Nodes in which the thread is idle have none. */
function partsOf({ nodes }: CpuProfile): Map<number, string> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parts = new Map<number, string>()
  for (const { id, callFrame } of nodes) {
    if (callFrame.functionName === '(idle)') continue
    let part: string | undefined
    for (let at: number | undefined = id; at !== undefined && !part; at = parents.get(at)) {
      const { url } = frames.get(at)!
      part = PARTS.find(([pattern]) => pattern.test(url))?.[1]
    }
    parts.set(id, part ?? REST)
  }
  return parts
}
