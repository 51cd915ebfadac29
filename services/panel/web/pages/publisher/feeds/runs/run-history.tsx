import type { FeedRun } from '../../../../client/types.ts'
import { type Column, DataTable } from '../../../../components/page/data-table.tsx'
import { PanelCard } from '../../../../components/page/panel-card.tsx'
import { formatCount } from '../../../../components/values/numbers.ts'
import { DateTime, formatDuration } from '../../../../components/values/times.tsx'
import { useList } from '../../../../data/use-list.ts'
import { t } from '../../../../messages/pages/shop/feeds.ts'
import { OutcomeBadge } from './outcome-badge.tsx'
import { IDLE_REFRESH_MS, isUnderWay, RUNNING_REFRESH_MS, triggerNames } from './runs.ts'

const RUNS_OF_PAGE = 10

export interface RunHistoryProps {
  feedId: string
  /** The last run as the page's header shows it, so that the table shows it in the same state. */
  last: FeedRun | null
  zone: string | undefined
}

export function RunHistory({ feedId, last, zone }: RunHistoryProps) {
  const list = useList('/v1/panel/feeds/{id}/runs', {
    path: { id: feedId },
    pageSize: RUNS_OF_PAGE,
    refreshMs: last && isUnderWay(last) ? RUNNING_REFRESH_MS : IDLE_REFRESH_MS,
  })
  const others = list.items?.filter(({ id }) => id !== last?.id)
  const items = others && last && list.page === 1 ? [last, ...others] : list.items
  const columns: Column<FeedRun>[] = [
    { title: t('requested'), cell: ({ queuedAt }) => <DateTime at={queuedAt} timeZone={zone} /> },
    { title: t('status'), cell: (run) => <OutcomeBadge run={run} /> },
    { title: t('by'), cell: ({ trigger }) => triggerNames[trigger] },
    { title: t('took'), cell: durationOf, align: 'end', isHidden: true },
    { title: t('products'), cell: ({ total }) => formatCount(total), align: 'end' },
    { title: t('changed'), cell: ({ changed }) => formatCount(changed), align: 'end' },
    { title: t('removed'), cell: ({ removed }) => formatCount(removed), align: 'end', isHidden: true },
    { title: t('rejected'), cell: ({ rejected }) => formatCount(rejected), align: 'end' },
    { title: t('warnings'), cell: ({ warnings }) => formatCount(warnings), align: 'end' },
  ]
  return (
    <PanelCard title={t('history')} description={t('historyHelp')}>
      <DataTable
        id="feed-runs"
        label={t('runsOfFeed')}
        list={{ ...list, items }}
        columns={columns}
        rowKey={(run) => run.id}
        rowLink={(run) => `/feeds/${feedId}/runs/${run.id}`}
        empty={{ title: t('noRuns'), description: t('noRunsHelp') }}
      />
    </PanelCard>
  )
}

/** How long a run took; a dash while it has not ended. */
export const durationOf = ({ startedAt, endedAt }: Pick<FeedRun, 'startedAt' | 'endedAt'>): string =>
  startedAt && endedAt ? formatDuration(Date.parse(endedAt) - Date.parse(startedAt)) : '–'
