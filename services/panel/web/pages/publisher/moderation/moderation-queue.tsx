import { ActionIcon, Alert, Button, Group, Kbd, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { IconCheck, IconChevronLeft, IconChevronRight, IconRefresh, IconX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../../schemas/durations.ts'
import type { AdFormat, Campaign } from '../../../client/types.ts'
import { formatDuration, RelativeTime } from '../../../components/values/times.tsx'
import { t } from '../../../messages/pages/shop/moderation.ts'
import { CampaignJudged } from './campaign-judged.tsx'
import classes from './moderation.module.css'
import { RejectDialog } from './reject-dialog.tsx'
import { useShortcutsOn } from './shortcuts-dialog.tsx'
import type { Decision } from './use-decision.tsx'
import { useShortcuts } from './use-shortcuts.ts'

export interface ModerationQueueProps {
  /** At least one campaign. */
  campaigns: readonly Campaign[]
  formats: readonly AdFormat[]
  reasons: readonly string[]
  decision: Decision
}

/** Shows one campaign at a time, with buttons and keys to decide on it, and next to it a list of all campaigns if there is room. */
export function ModerationQueue({ campaigns, formats, reasons, decision }: ModerationQueueProps) {
  const { shown, index, changed, show, move } = useQueue(campaigns)
  // Kept, because another campaign is shown when this one leaves the list.
  const [rejecting, setRejecting] = useState<Campaign | null>(null)
  const [isOn] = useShortcutsOn()
  const state = shown?.moderation?.state
  const mayDecide = (outcome: 'ACCEPTED' | 'REJECTED') => state !== outcome && !decision.isSaving
  const accept = () => shown && mayDecide('ACCEPTED') && void decision.decide({ campaign: shown, reason: null })
  const begin = () => shown && mayDecide('REJECTED') && setRejecting(shown)
  const reject = async (campaign: Campaign, reason: string) => {
    if (await decision.decide({ campaign, reason })) setRejecting(null)
  }
  useShortcuts({ j: () => move(1), k: () => move(-1), a: accept, r: begin }, isOn)
  if (!shown) return null
  return (
    <div className={classes.columns}>
      <nav className={classes.list} aria-label={t('campaigns')}>
        {campaigns.map((campaign) => (
          <UnstyledButton
            key={campaign.id}
            className={classes.entry}
            aria-current={campaign.id === shown.id}
            onClick={() => show(campaign)}
          >
            <Text size="sm" fw={550} truncate>
              {campaign.name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {campaign.moderation?.decidedAt ? (
                <>
                  {campaign.accountName}, <RelativeTime at={campaign.moderation.decidedAt} />
                </>
              ) : (
                t('waiting', { advertiser: campaign.accountName ?? '', age: ageOf(waitingSince(campaign)) })
              )}
            </Text>
          </UnstyledButton>
        ))}
      </nav>
      <div className={classes.campaign}>
        <Group justify="space-between" className={classes.bar}>
          <Steps index={index} count={campaigns.length} move={move} />
          <Group gap="xs">
            {state !== 'REJECTED' && (
              <Button
                variant="default"
                leftSection={<IconX size={16} aria-hidden />}
                rightSection={<Kbd size="xs">r</Kbd>}
                onClick={begin}
              >
                {t('reject')}
              </Button>
            )}
            {state !== 'ACCEPTED' && (
              <Button
                color="teal.9"
                loading={decision.isSaving}
                leftSection={<IconCheck size={16} aria-hidden />}
                rightSection={<Kbd size="xs">a</Kbd>}
                onClick={accept}
              >
                {t('accept')}
              </Button>
            )}
          </Group>
        </Group>
        {changed && <Changed onShow={() => show(changed)} />}
        <CampaignJudged campaign={shown} formats={formats} />
      </div>
      {rejecting && (
        <RejectDialog
          name={rejecting.name}
          reasons={reasons}
          isSaving={decision.isSaving}
          close={() => setRejecting(null)}
          onReject={(reason) => void reject(rejecting, reason)}
        />
      )}
    </div>
  )
}

/** Since when a campaign waits: a change of its budget, for example, does not make it wait anew. */
export const waitingSince = ({ moderation, updatedAt }: Campaign): string => moderation?.submittedAt ?? updatedAt

const HOURS_MAX = 48
const days = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'day',
  unitDisplay: 'long',
  maximumFractionDigits: 0,
})

/** The age of a time: 40 min, 3 h, 4 days. What is younger than a minute is a minute old. */
function ageOf(at: string): string {
  const ms = Math.max(MINUTE_MS, Date.now() - Date.parse(at))
  return ms < HOURS_MAX * HOUR_MS ? formatDuration(ms) : days.format(ms / DAY_MS)
}

interface StepsProps {
  index: number
  count: number
  move: (by: number) => void
}

function Steps({ index, count, move }: StepsProps) {
  return (
    <Group gap={6} wrap="nowrap">
      <Tooltip label={t('previousKey')}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('previous')}
          disabled={index === 0}
          onClick={() => move(-1)}
        >
          <IconChevronLeft size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Text size="sm" aria-live="polite" style={{ whiteSpace: 'nowrap' }}>
        {t('position', { index: index + 1, count })}
      </Text>
      <Tooltip label={t('nextKey')}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('next')}
          disabled={index === count - 1}
          onClick={() => move(1)}
        >
          <IconChevronRight size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

function Changed({ onShow }: { onShow: () => void }) {
  return (
    <Alert color="yellow" icon={<IconRefresh />} title={t('changedTitle')} role="alert" mt="sm">
      <Group justify="space-between" gap="xs">
        <span>{t('changedHelp')}</span>
        <Button size="xs" variant="default" onClick={onShow}>
          {t('showCurrent')}
        </Button>
      </Group>
    </Alert>
  )
}

interface Queue {
  /** The campaign as it was when it was first shown. It does not change while the user looks at it. */
  shown: Campaign | undefined
  /** Its position, from 0. */
  index: number
  /** The newer version of the campaign; null while the shown version is current. */
  changed: Campaign | null
  show: (campaign: Campaign) => void
  /** Moves to the next campaign (1) or to the previous one (-1). */
  move: (by: number) => void
}

/** Steps through a list one item at a time. When the shown item leaves the list, the one that takes its position is shown. */
function useQueue(items: readonly Campaign[]): Queue {
  const [place, setPlace] = useState<{ campaign: Campaign; index: number } | null>(null)
  const found = place === null ? -1 : items.findIndex(({ id }) => id === place.campaign.id)
  const follower = items[Math.min(place?.index ?? 0, items.length - 1)]
  const shown = found === -1 ? follower : place?.campaign
  const index = found === -1 && follower ? items.indexOf(follower) : found

  useEffect(() => {
    if (found === -1 && follower) setPlace({ campaign: follower, index })
  }, [found, follower, index])

  const fresh = items[index]
  return {
    shown,
    index,
    changed: shown && fresh && fresh.version !== shown.version ? fresh : null,
    show: (campaign) => setPlace({ campaign, index: items.findIndex(({ id }) => id === campaign.id) }),
    move(by) {
      const next = items[index + by]
      if (next) setPlace({ campaign: next, index: index + by })
    },
  }
}
