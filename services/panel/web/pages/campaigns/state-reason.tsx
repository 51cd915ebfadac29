import { Alert, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Campaign } from '../../client/types.ts'
import { DateTime } from '../../components/values/times.tsx'

export interface StateReasonProps {
  campaign: Campaign
  timeZone: string | undefined
}

/** Explains the state of the campaign and how to change it; renders nothing while it runs. */
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
  switch (state) {
    case 'DRAFT':
      return ['This is a draft', 'gray', 'It is not shown until it is switched on.']
    case 'IN_MODERATION':
      return [
        'Waiting for the publisher',
        'yellow',
        'The banners are shown once the publisher of the shop has accepted them.',
      ]
    case 'REJECTED':
      return [
        'The publisher has rejected the banners',
        'red',
        `${moderation?.reason ?? 'No reason was given.'} With changed banners it goes to moderation again.`,
      ]
    case 'SCHEDULED':
      return [
        'Not started yet',
        'blue',
        <>
          It starts on <DateTime key="at" at={startAt} timeZone={timeZone} />.
        </>,
      ]
    case 'PAUSED':
      return ['Paused', 'yellow', 'It is not shown until it is resumed.']
    case 'EXHAUSTED':
      return ['The budget is spent', 'orange', 'What is left does not pay for one more. A higher budget lets it go on.']
    case 'ENDED':
      return [
        'It has ended',
        'gray',
        <>
          It ended on <DateTime key="at" at={endAt} timeZone={timeZone} />.
        </>,
      ]
    case 'ARCHIVED':
      return ['Archived', 'gray', 'It cannot run or change until it is restored. Its reports stay.']
    case 'RUNNING':
      return null
  }
}
