import { Badge, type MantineColor } from '@mantine/core'

/** Every state of the API as a word and a colour. The word alone is enough to understand it. */
const looks = {
  // Campaigns, technical slots, ad units
  DRAFT: ['Draft', 'gray'],
  SCHEDULED: ['Scheduled', 'blue'],
  RUNNING: ['Running', 'teal'],
  PAUSED: ['Paused', 'yellow'],
  EXHAUSTED: ['Budget spent', 'orange'],
  ENDED: ['Ended', 'gray'],
  ACTIVE: ['Active', 'teal'],
  INACTIVE: ['Inactive', 'gray'],
  // Moderation
  IN_MODERATION: ['In moderation', 'yellow'],
  ACCEPTED: ['Accepted', 'teal'],
  REJECTED: ['Rejected', 'red'],
  // Feed runs
  QUEUED: ['Queued', 'gray'],
  DONE: ['Done', 'teal'],
  HELD: ['Held', 'orange'],
  FAILED: ['Failed', 'red'],
  WARNING: ['Warning', 'yellow'],
  // Users, tokens, engines
  DISABLED: ['Disabled', 'gray'],
  INVITED: ['Invited', 'blue'],
  EXPIRED: ['Expired', 'gray'],
  OK: ['OK', 'teal'],
} as const satisfies Record<string, readonly [label: string, color: MantineColor]>

export type Status = keyof typeof looks

export interface StatusBadgeProps {
  status: Status
  /** A word to show instead. */
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
