import type { Decision } from './step.ts'

/**
 * The decisions of a batch as the counters keep them beside its position, so that the batch gets the same ones when it is
 * repeated: JSON of the first offset, the different decisions, and one character for each offset, which says which. Before
 * an offset that does not follow the one before it stands how many lie between: `+3,`.
 */
export function encodeDecisions(decisions: ReadonlyMap<number, Decision>): string {
  const kinds = new Map<string, string>()
  let first: number | null = null
  let next = 0
  let codes = ''
  for (const [offset, { outcome, actor }] of decisions) {
    first ??= next = offset
    if (offset > next) codes += `+${offset - next},`
    next = offset + 1
    const kind = `${outcome}/${actor ?? ''}`
    if (!kinds.has(kind)) kinds.set(kind, String.fromCharCode(FIRST_CODE + kinds.size))
    codes += kinds.get(kind)
  }
  return JSON.stringify([first, [...kinds.keys()], codes])
}

export function decodeDecisions(note: string | null): Map<number, Decision> {
  const decisions = new Map<number, Decision>()
  if (note === null) return decisions
  const [first, kinds, codes] = JSON.parse(note) as [number, string[], string]
  let offset = first
  for (const [text, gap] of codes.matchAll(/\+(\d+),|./gs)) {
    if (gap !== undefined) offset += Number(gap)
    else {
      const [outcome, actor] = kinds[text.charCodeAt(0) - FIRST_CODE]!.split('/') as [string, string]
      decisions.set(offset++, { outcome, actor: (actor || null) as Decision['actor'] })
    }
  }
  return decisions
}

/** A letter, and so none of the characters of a gap. */
const FIRST_CODE = 'A'.charCodeAt(0)
