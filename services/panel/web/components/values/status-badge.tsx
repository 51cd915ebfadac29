import { Badge, type MantineColor } from '@mantine/core'
import { t } from '../../messages/components.ts'

/** Every state of the API as a word and a colour. The word alone is enough to understand it. */
const looks = {
  // Campaigns, technical ad units, ad units
  DRAFT: [t('draft'), 'gray'],
  SCHEDULED: [t('scheduled'), 'blue'],
  RUNNING: [t('running'), 'teal'],
  PAUSED: [t('paused'), 'yellow'],
  EXHAUSTED: [t('budgetSpent'), 'orange'],
  ENDED: [t('ended'), 'gray'],
  ARCHIVED: [t('archived'), 'gray'],
  ACTIVE: [t('active'), 'teal'],
  INACTIVE: [t('inactive'), 'gray'],
  // Moderation
  IN_MODERATION: [t('inModeration'), 'yellow'],
  ACCEPTED: [t('accepted'), 'teal'],
  REJECTED: [t('rejected'), 'red'],
  // Feed runs
  QUEUED: [t('queued'), 'gray'],
  DONE: [t('done'), 'teal'],
  HELD: [t('held'), 'orange'],
  FAILED: [t('failed'), 'red'],
  WARNING: [t('warning'), 'yellow'],
  // Users, tokens, engines
  DISABLED: [t('disabled'), 'gray'],
  INVITED: [t('invited'), 'blue'],
  EXPIRED: [t('expired'), 'gray'],
  OK: [t('ok'), 'teal'],
} as const satisfies Record<string, readonly [label: string, color: MantineColor]>

export type Status = keyof typeof looks

export interface StatusBadgeProps {
  status: Status
  /** A text to show instead of the state's own. */
  label?: string
}

export function StatusBadge({ status, label }: StatusBadgeProps) {
  const [word, color] = looks[status]
  return (
    <Badge variant="dot" color={color} radius="sm" tt="none" fw={500} styles={{ root: { flex: 'none' } }}>
      {label ?? word}
    </Badge>
  )
}
