import type { Campaign } from '../../client/types.ts'
import { t as states } from '../../messages/components.ts'
import { t } from '../../messages/pages/campaigns/campaigns.ts'
import type { Pacing } from './spend.ts'

/** Choices and their labels in fields and filters. */

export const KINDS: { value: Campaign['kind']; label: string }[] = [
  { value: 'SPONSORED', label: t('sponsored') },
  { value: 'DISPLAY', label: t('display') },
]

/** The states that a list can be filtered by. Archived campaigns have a list of their own. */
export const STATES: { value: Campaign['state']; label: string }[] = [
  { value: 'DRAFT', label: states('draft') },
  { value: 'IN_MODERATION', label: states('inModeration') },
  { value: 'REJECTED', label: states('rejected') },
  { value: 'SCHEDULED', label: states('scheduled') },
  { value: 'RUNNING', label: states('running') },
  { value: 'PAUSED', label: states('paused') },
  { value: 'EXHAUSTED', label: states('budgetSpent') },
  { value: 'ENDED', label: states('ended') },
  { value: 'ARCHIVED', label: states('archived') },
]

export const stateWord = (state: Campaign['state']): string =>
  STATES.find(({ value }) => value === state)?.label ?? state

export const PACING_WORDS: Record<NonNullable<Pacing['verdict']>, string> = {
  BEHIND: t('behind'),
  ON_PACE: t('onPace'),
  AHEAD: t('ahead'),
}
