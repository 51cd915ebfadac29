import type { Commit } from '../../infra/event-log/port.ts'
import { CREDIT_RULES_VERSION } from '../../services/domain/attribution/credit.ts'

/**
 * How far attribution has come. `done` says up to which offsets it has copied the sink's rows into its lookup tables. A phase that
 * was killed goes on where it stopped.
 *
 * | Phase | Next |
 * |---|---|
 * | COLLECTING: copies the past, some offsets per run | CREDITING, once it has caught up with the sink |
 * | CREDITING: computes the transactions before `done`, one part of the people per run, next `part` | FOLLOWING, after the last part |
 * | FOLLOWING: copies new rows, and computes the transactions that they affect | |
 *
 * A new version of the rules begins with COLLECTING.
 */
export type Progress = { done: readonly Commit[] } & (
  | { phase: 'COLLECTING' }
  | { phase: 'CREDITING'; part: number; parts: number }
  | { phase: 'FOLLOWING' }
)

const RULES = String(CREDIT_RULES_VERSION)
const CREDITING = /^(\d+) crediting (\d+)\/(\d+)$/
const COLLECTING = `${RULES} collecting`

/** @param committed what `commitsOf` gave, by this version of the program or another. */
export function progressOf(committed: readonly Commit[]): Progress {
  const metadata = committed[0]?.metadata ?? ''
  if (committed.some((each) => each.metadata !== metadata)) return { phase: 'COLLECTING', done: [] }
  if (metadata === RULES) return { phase: 'FOLLOWING', done: committed }
  if (metadata === COLLECTING) return { phase: 'COLLECTING', done: committed }
  const [, rules, part, parts] = metadata.match(CREDITING) ?? []
  if (rules === RULES) return { phase: 'CREDITING', done: committed, part: Number(part), parts: Number(parts) }
  return { phase: 'COLLECTING', done: [] }
}

/** The commits of the group that stand for this progress. */
export function commitsOf(progress: Progress): Commit[] {
  const metadata = metadataOf(progress)
  return progress.done.map(({ topic, partition, offset }) => ({ topic, partition, offset, metadata }))
}

function metadataOf(progress: Progress): string {
  switch (progress.phase) {
    case 'COLLECTING':
      return COLLECTING
    case 'CREDITING':
      return `${RULES} crediting ${progress.part}/${progress.parts}`
    case 'FOLLOWING':
      return RULES
  }
}
