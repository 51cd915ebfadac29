import { Badge, type MantineColor } from '@mantine/core'
import type { FeedRun } from '../../../../client/types.ts'
import { formatCount } from '../../../../components/values/numbers.ts'
import { t } from '../../../../messages/pages/shop/feeds.ts'

type Outcome = FeedRun['outcome']
type Shown = Pick<FeedRun, 'outcome' | 'rejected' | 'total'>

const colors: Readonly<Record<Outcome, MantineColor>> = {
  QUEUED: 'gray',
  RUNNING: 'blue',
  SUCCEEDED: 'teal',
  SUCCEEDED_WITH_WARNINGS: 'yellow',
  PARTLY_REJECTED: 'orange',
  MOSTLY_REJECTED: 'red',
  ALL_REJECTED: 'red',
  NO_PRODUCTS: 'red',
  HELD: 'orange',
  FAILED: 'red',
  REPLACED: 'gray',
}

const words: Readonly<Record<Outcome, (run: Shown) => string>> = {
  QUEUED: () => t('queued'),
  RUNNING: () => t('running'),
  SUCCEEDED: () => t('succeeded'),
  SUCCEEDED_WITH_WARNINGS: () => t('succeededWithWarnings'),
  PARTLY_REJECTED: (run) => t('partlyRejected', counts(run)),
  MOSTLY_REJECTED: (run) => t('mostlyRejected', counts(run)),
  ALL_REJECTED: () => t('allRejected'),
  NO_PRODUCTS: () => t('noProducts'),
  HELD: () => t('held'),
  FAILED: () => t('failed'),
  REPLACED: () => t('replaced'),
}

const counts = ({ rejected, total }: Shown) => ({ rejected: formatCount(rejected), total: formatCount(total) })

/** The outcome of a run, in words and colour. */
export function OutcomeBadge({ run }: { run: Shown }) {
  return (
    <Badge
      variant="dot"
      color={colors[run.outcome]}
      radius="sm"
      tt="none"
      fw={500}
      styles={{ root: { flex: 'none', minWidth: 'max-content' }, label: { overflow: 'visible' } }}
    >
      {words[run.outcome](run)}
    </Badge>
  )
}
