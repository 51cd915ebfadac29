import { Text, Timeline } from '@mantine/core'
import type { Campaign } from '../../client/types.ts'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { DateTime } from '../../components/values/times.tsx'

/** Every decision of the publisher on the banners, the latest first. */
export function ModerationHistory({ campaign, timeZone }: { campaign: Campaign; timeZone: string | undefined }) {
  const history = campaign.moderation?.history ?? []
  return (
    <PanelCard title="Moderation">
      {history.length === 0 ? (
        <Text size="sm" c="dimmed">
          The publisher has not decided yet.
        </Text>
      ) : (
        <Timeline bulletSize={12} lineWidth={2}>
          {[...history].reverse().map(({ state, reason, decidedAt, decidedByName }) => (
            <Timeline.Item key={decidedAt} title={<StatusBadge status={state} />}>
              {reason && <Text size="sm">{reason}</Text>}
              <Text size="xs" c="dimmed">
                <DateTime at={decidedAt} timeZone={timeZone} />
                {decidedByName && `, ${decidedByName}`}
              </Text>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </PanelCard>
  )
}
