import type { Campaign } from '../../client/types.ts'
import type { Pacing } from './pacing.ts'

/** Choices and their words, as fields and filters show them. */

export const KINDS: { value: Campaign['kind']; label: string }[] = [
  { value: 'SPONSORED', label: 'Sponsored products' },
  { value: 'DISPLAY', label: 'Display banners' },
]

export const STATES: { value: Campaign['state']; label: string }[] = [
  { value: 'DRAFT', label: 'Draft' },
  { value: 'IN_MODERATION', label: 'In moderation' },
  { value: 'REJECTED', label: 'Rejected' },
  { value: 'SCHEDULED', label: 'Scheduled' },
  { value: 'RUNNING', label: 'Running' },
  { value: 'PAUSED', label: 'Paused' },
  { value: 'EXHAUSTED', label: 'Budget spent' },
  { value: 'ENDED', label: 'Ended' },
]

export const PACING_WORDS: Record<NonNullable<Pacing['verdict']>, string> = {
  BEHIND: 'Behind',
  ON_PACE: 'On pace',
  AHEAD: 'Ahead',
}
