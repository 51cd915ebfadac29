import { Button, Group, Kbd, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useRef } from 'react'
import { answer, client } from '../../../client/client.ts'
import { ApiProblem } from '../../../client/problem.ts'
import type { Campaign } from '../../../client/types.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/moderation.ts'

const UNDO_MS = 10_000
const NOTIFICATION = 'moderation-decision'
const changes = ['/v1/panel/moderation', '/v1/panel/campaigns'] as const

interface DecisionInput {
  campaign: Campaign
  /** Null to accept. */
  reason: string | null
}

export interface Decision {
  /** Resolves to whether the decision was made. If it was not, the user has been told why. */
  decide: (input: DecisionInput) => Promise<boolean>
  isSaving: boolean
  /** Undoes the latest decision if it is at most ten seconds old. */
  undo: () => void
}

/**
 * Accepts the shown version of a campaign, or rejects it with a reason. The decision can be undone for ten seconds. If the campaign
 * has changed since it was shown, the list is refetched.
 */
export function useDecision(reread: () => void): Decision {
  const last = useRef<{ campaignId: string; until: number } | null>(null)
  const undoing = useSave({
    save: (campaignId: string) =>
      answer(client.POST('/v1/panel/moderation/{campaignId}/undo', { params: { path: { campaignId } } })),
    changes,
    saved: t('undone'),
  })
  const undo = () => {
    const made = last.current
    last.current = null
    notifications.hide(NOTIFICATION)
    if (made && Date.now() < made.until) void undoing.submit(made.campaignId)
  }
  const saving = useSave({
    async save({ campaign: { id, version }, reason }: DecisionInput) {
      const params = { path: { campaignId: id } }
      try {
        return await (reason === null
          ? answer(client.POST('/v1/panel/moderation/{campaignId}/accept', { params, body: { version } }))
          : answer(client.POST('/v1/panel/moderation/{campaignId}/reject', { params, body: { reason, version } })))
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 409) reread()
        throw error
      }
    },
    changes,
  })
  return {
    async decide(input) {
      const decided = await saving.submit(input)
      if (!decided) return false
      last.current = { campaignId: decided.id, until: Date.now() + UNDO_MS }
      const text = input.reason === null ? t('acceptedName', decided) : t('rejectedName', decided)
      notifications.hide(NOTIFICATION)
      notifications.show({
        id: NOTIFICATION,
        color: input.reason === null ? 'teal' : 'red',
        autoClose: UNDO_MS,
        message: <Undoable text={text} undo={undo} />,
      })
      return true
    },
    isSaving: saving.isSaving,
    undo,
  }
}

function Undoable({ text, undo }: { text: string; undo: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        style={{ flex: 'none' }}
        rightSection={<Kbd size="xs">u</Kbd>}
        onClick={undo}
      >
        {t('undo')}
      </Button>
    </Group>
  )
}
