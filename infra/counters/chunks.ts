import type { Progress, Step } from './port.ts'

/** Steps that are applied in one atomic step of the store, and what they expect. */
export interface Chunk {
  steps: readonly Step[]
  progress?: Progress
}

/** Cuts steps into lists of at most `stepsMax`; with progress, each list goes on where the one before it ends. */
export function chunksOf(steps: readonly Step[], stepsMax: number, progress?: Progress): Chunk[] {
  if (steps.length === 0) return progress ? [{ steps, progress }] : []
  const chunks: Chunk[] = []
  for (let from = 0; from < steps.length; from += stepsMax) {
    const chunk = steps.slice(from, from + stepsMax)
    if (!progress) chunks.push({ steps: chunk })
    else {
      const isLast = from + stepsMax >= steps.length
      const upTo = isLast ? progress.upTo : chunk.at(-1)!.offset
      chunks.push({
        steps: chunk,
        progress: { ...progress, after: chunks.at(-1)?.progress?.upTo ?? progress.after, upTo },
      })
    }
  }
  return chunks
}

/** The steps cut where the source changes, in order. */
export function runsOf(steps: readonly Step[]): Step[][] {
  const runs: Step[][] = []
  for (const step of steps) {
    const run = runs.at(-1)
    if (run && run[0]!.source === step.source) run.push(step)
    else runs.push([step])
  }
  return runs
}
