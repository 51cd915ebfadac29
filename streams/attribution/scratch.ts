/**
 * Tables of one run alone. A run that was frozen and woke up while the next leader ran would else mix its rows into
 * the other's.
 */
export interface Scratch {
  /** People with touches that have not been looked at, and when these may earn something. */
  touched: string
  /** What to compute again, in slices small enough for memory. */
  scope: string
  /** The lines of one slice. */
  lines: string
  /** The same once for each cid whose touches count for them. */
  reach: string
}

const SCRATCH_PREFIX = 'attribution_scratch_'

/** @param run a UUID, or another name of letters, digits and dashes that no other run has. */
export function scratchOf(run: string): Scratch {
  const name = (part: string) => `${SCRATCH_PREFIX}${run.replaceAll('-', '')}_${part}`
  return { touched: name('touched'), scope: name('scope'), lines: name('lines'), reach: name('reach') }
}

export const leftScratchSql = `
SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, '${SCRATCH_PREFIX}')`
