import { Text, VisuallyHidden } from '@mantine/core'
import { t } from '../../../messages/pages/reports.ts'
import { changeStyle, mayDiffer, type ReportView } from '../use-report.ts'
import type { Metric } from '../vocabulary.ts'
import { changeOf } from './figures.ts'

const colors = { good: 'teal', bad: 'red', neutral: 'dimmed' } as const
const arrows = ['▼', '', '▲'] as const

export interface ChangeBadgeProps {
  metric: Metric
  value: number | null | undefined
  /** The figure that it is compared with. */
  before: number | null | undefined
  currency: string | null
  reference: NonNullable<ReportView['reference']>
}

/** The change of a figure against its reference. The sign alone is enough to understand it. */
export function ChangeBadge({ metric, value, before, currency, reference }: ChangeBadgeProps) {
  if (!mayDiffer(metric, reference)) return null
  const change = changeOf(metric, { value, before, currency }, changeStyle(reference))
  if (!change) return <>–</>
  const color = colors[change.mood]
  return (
    <Text component="span" size="xs" c={color === 'dimmed' ? color : `var(--report-${color})`} title={reference.label}>
      <span aria-hidden>{arrows[change.direction + 1]} </span>
      {change.text}
      <VisuallyHidden>{` ${reference.kind === 'settings' ? t('vsSettings') : t('vsPrevious')}`}</VisuallyHidden>
    </Text>
  )
}
