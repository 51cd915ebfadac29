import { Anchor, Badge, Group, Text, Timeline } from '@mantine/core'
import { IconClick, IconEye } from '@tabler/icons-react'
import { Link } from 'react-router'
import { DateTime } from '../../components/values/times.tsx'
import classes from './touch-timeline.module.css'
import { distance, type ExplainedTransaction, resultLabel, type Touch } from './words.ts'

export interface TouchTimelineProps {
  /** In order of strength, the strongest first. */
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
              {touch.type === 'CLICK' ? 'Click' : 'View'}
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
              {resultLabel(touch.result)}
            </Badge>
          </Group>
          <Text size="sm">
            <Anchor component={Link} to={`/campaigns/${touch.campaignId}`} inherit underline="always">
              {touch.campaignName ?? touch.campaignId}
            </Anchor>
            {`, ad of ${touch.adId}`}
          </Text>
          <Text size="sm" c="dimmed">
            {touch.why}
            {touch.result === 'NOT_VALID' && ` (${touch.verdict.toLowerCase().replaceAll('_', ' ')})`}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

const Sign = ({ type }: { type: Touch['type'] }) =>
  type === 'CLICK' ? <IconClick size={15} aria-hidden /> : <IconEye size={15} aria-hidden />
