import type { Commit } from '../../infra/event-log/port.ts'

/** What the sink writes beside a committed offset. */
export interface SinkNote {
  epoch: number
  /** The batch from the committed offset to this one was about to be stored; null: all before the offset is stored. */
  pendingLast: number | null
}

export const SINK_GROUP = 'sink'
const NOTHING_YET: SinkNote = { epoch: 0, pendingLast: null }

export function noteText(note: SinkNote): string {
  return JSON.stringify(note)
}

export function noteOf(commit: Pick<Commit, 'metadata'> | null): SinkNote {
  return commit === null || commit.metadata === '' ? NOTHING_YET : (JSON.parse(commit.metadata) as SinkNote)
}
