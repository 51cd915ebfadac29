import { fold } from './text.ts'

/**
 * Category paths: levels from wide to narrow, joined by ">". Case, accents and spaces around levels do not matter, and levels after
 * the first 32 do not count.
 */

/** Separates the levels of a path; a normalised level never contains it. */
const LEVEL_SEPARATOR = '>'
/**
 * Far more than shops have. The keys of a path grow with the square of its levels, and 750 characters, as many as a page may
 * send in each of a hundred paths, have room for 375.
 */
const LEVELS_MAX = 32

/** Normalised paths are cached, because many offers share a path. */
const PATHS_REMEMBERED_MAX = 5_000
const REMEMBERED_PATH_MAX_CHARS = 300
const rememberedPaths = new Map<string, NormalPath>()

interface NormalPath {
  levels: readonly string[]
  /** Keys of the path and everything above it, widest first. */
  keys: readonly string[]
}

function normalPath(path: string): NormalPath {
  const known = rememberedPaths.get(path)
  if (known) return known
  const levels: string[] = []
  for (const level of path.split(LEVEL_SEPARATOR)) {
    if (levels.length === LEVELS_MAX) break
    const normal = fold(level).trim().replace(/\s+/g, ' ')
    if (normal !== '') levels.push(normal)
  }
  const keys = levels.map((_, depth) => levels.slice(0, depth + 1).join(LEVEL_SEPARATOR))
  const normal = { levels, keys }
  if (path.length > REMEMBERED_PATH_MAX_CHARS) return normal
  if (rememberedPaths.size >= PATHS_REMEMBERED_MAX) rememberedPaths.clear()
  rememberedPaths.set(path, normal)
  return normal
}

/** The normalised levels of a path: "Électronique >  TV " is ["electronique", "tv"]. Empty levels are left out. */
export const pathLevels = (path: string): readonly string[] => normalPath(path).levels

/** One spelling for all spellings of a path; empty for a path without levels. */
export const pathKey = (path: string): string => normalPath(path).keys.at(-1) ?? ''

/** Keys of a path and everything above it, widest first. An index stores these to find the products at or below a path. */
export const pathAndAbove = (path: string): readonly string[] => normalPath(path).keys

/** Whether a path is another or lies below it, both as normalised levels. Nothing lies below a path without levels. */
export function isSameOrBelow(levels: readonly string[], above: readonly string[]): boolean {
  return above.length > 0 && commonDepth(levels, above) === above.length
}

/** Whether a product's path contains all nodes in this order, gaps allowed, both as normalised levels. False without nodes. */
export function nodesInOrder(levels: readonly string[], nodes: readonly string[]): boolean {
  let next = 0
  for (const level of levels) if (level === nodes[next]) next++
  return nodes.length > 0 && next === nodes.length
}

/** How many levels two paths share from the top, both as normalised levels. */
export function commonDepth(a: readonly string[], b: readonly string[]): number {
  let depth = 0
  while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth++
  return depth
}
