import { Button, type ButtonProps } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { answer, client } from '../../client/client.ts'
import type { Campaign } from '../../client/types.ts'
import { useSave } from '../../data/use-save.ts'
import { t } from '../../messages/pages/campaigns/campaigns.ts'
import { useSession } from '../../session/session.ts'

export interface CampaignSwitchProps extends ButtonProps {
  campaign: Campaign
}

/** Pauses or resumes a campaign. Renders nothing when `useMaySwitch` says no. */
export function CampaignSwitch({ campaign, ...props }: CampaignSwitchProps) {
  const { id, name, status } = campaign
  const maySwitch = useMaySwitch()
  const { submit, isSaving } = useSave({
    save: (body: { status: 'ACTIVE' | 'PAUSED' }) =>
      answer(client.PATCH('/v1/panel/campaigns/{id}', { params: { path: { id } }, body })),
    changes: ['/v1/panel/campaigns'],
    saved: status === 'ACTIVE' ? t('isPaused', { name }) : t('isOn', { name }),
  })
  if (!maySwitch(campaign)) return null
  const isOn = status === 'ACTIVE'
  const word = isOn ? 'pause' : status === 'DRAFT' ? 'start' : 'resume'
  const Icon = isOn ? IconPlayerPause : IconPlayerPlay
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon size={14} aria-hidden />}
      {...props}
      aria-label={t(`${word}It`, { name })}
      loading={isSaving}
      onClick={() => void submit({ status: isOn ? 'PAUSED' : 'ACTIVE' })}
    >
      {t(word)}
    </Button>
  )
}

const CANNOT_RUN: ReadonlySet<Campaign['state']> = new Set(['REJECTED', 'ENDED', 'ARCHIVED'])

/** Whether the user may pause or resume a campaign, and that says whether it runs. One that waits in moderation does not run yet. */
export function useMaySwitch(): (campaign: Campaign) => boolean {
  const mayChange = useMayChange()
  return (campaign) => {
    const { state, status } = campaign
    const isWaiting = state === 'IN_MODERATION' && status === 'ACTIVE'
    return mayChange(campaign) && !CANNOT_RUN.has(state) && !isWaiting
  }
}

/** Whether the user may change a campaign. A publisher cannot change other accounts' campaigns in its shops. */
export function useMayChange(): (campaign: Pick<Campaign, 'accountId'>) => boolean {
  const { user, account } = useSession()
  return ({ accountId }) => user.role === 'OPERATOR' || accountId === account?.id
}
