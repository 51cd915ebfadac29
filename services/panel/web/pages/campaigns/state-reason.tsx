import { Alert, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Campaign } from '../../client/types.ts'
import { DateTime } from '../../components/values/times.tsx'
import { t } from '../../messages/pages/campaigns/campaigns.ts'

export interface StateReasonProps {
  campaign: Campaign
  timeZone: string | undefined
}

/** Explains the state of a campaign and how to change it. Renders nothing while the campaign runs. */
export function StateReason({ campaign, timeZone }: StateReasonProps) {
  const reason = reasonOf(campaign, timeZone)
  if (!reason) return null
  const [title, color, text] = reason
  return (
    <Alert variant="light" color={color} title={title}>
      {text}
    </Alert>
  )
}

type Reason = [title: string, color: MantineColor, text: ReactNode]

function reasonOf({ state, startAt, endAt, moderation }: Campaign, timeZone: string | undefined): Reason | null {
  const zone = timeZone ? { timeZone } : {}
  const moment = (at: string | null) => ({ date: () => <DateTime key="at" at={at} {...zone} /> })
  switch (state) {
    case 'DRAFT':
      return [t('draftTitle'), 'gray', t('draftHelp')]
    case 'IN_MODERATION':
      return [t('moderationTitle'), 'yellow', t('moderationHelp')]
    case 'REJECTED':
      return [t('rejectedTitle'), 'red', t('rejectedHelp', { reason: moderation?.reason ?? t('noReason') })]
    case 'SCHEDULED':
      return [t('scheduledTitle'), 'blue', t.rich('scheduledHelp', moment(startAt))]
    case 'PAUSED':
      return [t('pausedTitle'), 'yellow', t('pausedHelp')]
    case 'EXHAUSTED':
      return [t('exhaustedTitle'), 'orange', t('exhaustedHelp')]
    case 'ENDED':
      return [t('endedTitle'), 'gray', t.rich('endedHelp', moment(endAt))]
    case 'ARCHIVED':
      return [t('archivedTitle'), 'gray', t('archivedHelp')]
    case 'RUNNING':
      return null
  }
}
