import { Anchor, Badge, Group, Text, Timeline } from '@mantine/core'
import { IconClick, IconEye } from '@tabler/icons-react'
import { Link } from 'react-router'
import { DateTime } from '../../components/values/times.tsx'
import { t } from '../../messages/pages/sales.ts'
import { campaignPath, distance, type ExplainedTransaction, resultLabel, type Touch } from './sale-words.ts'
import classes from './touch-timeline.module.css'

export interface TouchTimelineProps {
  /** Sorted by strength, the strongest first. */
  touches: readonly Touch[]
  sale: ExplainedTransaction
  timeZone: string | undefined
}

/** The views and clicks of a person, and for each why it got the credit or not. */
export function TouchTimeline({ touches, sale, timeZone }: TouchTimelineProps) {
  return (
    <Timeline
      classNames={{ item: classes.item }}
      bulletSize={26}
      lineWidth={2}
      color="teal"
      active={touches[0]?.result === 'WON' ? 0 : -1}
    >
      {touches.map((touch) => (
        <Timeline.Item key={touch.eventId} bullet={<Sign type={touch.type} />} lineVariant="dotted">
          <Group gap="xs" lh={1.3}>
            <Text size="sm" fw={600}>
              {touch.type === 'CLICK' ? t('click') : t('view')}
            </Text>
            <Text size="sm" c="dimmed">
              {distance(touch.occurredAt, sale.occurredAt)} · <DateTime at={touch.occurredAt} timeZone={timeZone} />
            </Text>
            <Badge
              variant={touch.result === 'WON' ? 'filled' : 'default'}
              color={touch.result === 'WON' ? 'teal.9' : 'gray'}
              tt="none"
              size="sm"
            >
              {resultLabel(touch)}
            </Badge>
          </Group>
          <Text size="sm">
            {t.rich('adOf', {
              campaign: (name) => (
                <Anchor component={Link} to={campaignPath(touch.campaignId)} inherit underline="always">
                  {name}
                </Anchor>
              ),
              name: touch.campaignName ?? touch.campaignId,
              ad: touch.adId,
            })}
          </Text>
          <Text size="sm" c="dimmed">
            {touch.why}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

const Sign = ({ type }: { type: Touch['type'] }) =>
  type === 'CLICK' ? <IconClick size={15} aria-hidden /> : <IconEye size={15} aria-hidden />
