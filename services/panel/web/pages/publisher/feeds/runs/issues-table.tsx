import { Chip, Group, SegmentedControl } from '@mantine/core'
import { answer, client } from '../../../../client/client.ts'
import type { FeedIssue, FeedRun } from '../../../../client/types.ts'
import { type Column, DataTable } from '../../../../components/page/data-table.tsx'
import { PanelCard } from '../../../../components/page/panel-card.tsx'
import { ShopLink } from '../../../../components/page/shop-link.tsx'
import { CsvButton } from '../../../../components/values/csv-button.tsx'
import { formatCount } from '../../../../components/values/numbers.ts'
import { StatusBadge } from '../../../../components/values/status-badge.tsx'
import { useAddressText, useAddressValue } from '../../../../data/use-address-value.ts'
import { useList } from '../../../../data/use-list.ts'
import { t } from '../../../../messages/pages/shop/feeds.ts'
import { issueName } from './runs.ts'

/** Issues are stored separately and appear within seconds after the run. */
const REFRESH_MS = 2_000
const SETTLED_MS = 20_000

const columnsIn = (shopId: string): Column<FeedIssue>[] => [
  { title: t('product'), cell: (issue) => <ProductOf issue={issue} shopId={shopId} /> },
  { title: t('line'), cell: ({ line }) => line, align: 'end', width: 80 },
  { title: t('severity'), cell: ({ severity }) => <StatusBadge status={severity} />, width: 120 },
  { title: t('field'), cell: ({ field }) => field },
  { title: t('issue'), cell: ({ code }) => issueName(code) },
  { title: t('whatIsWrong'), cell: ({ message }) => message },
]

/** A rejected item has no product page, unless an earlier run accepted it. */
function ProductOf({ issue: { productId, severity }, shopId }: { issue: FeedIssue; shopId: string }) {
  if (productId === null) return '–'
  if (severity === 'REJECTED') return productId
  return (
    <ShopLink shopId={shopId} to={`/products/${encodeURIComponent(productId)}`} size="sm">
      {productId}
    </ShopLink>
  )
}

function noIssues({ status }: FeedRun, isUnderWay: boolean): string {
  if (isUnderWay) return t('noIssuesYet')
  return status === 'FAILED' ? t('noIssuesFailed') : t('noIssues')
}

const severities: readonly FeedIssue['severity'][] = ['REJECTED', 'WARNING']
const ALL = 'ALL'

/** The issues of a run: their number by code, and each of them. */
export function IssuesTable({ run, isUnderWay }: { run: FeedRun; isUnderWay: boolean }) {
  const [askedSeverity, setSeverity] = useAddressValue('severity')
  const severity = severities.find((each) => each === askedSeverity)
  const [askedCode, setCode] = useAddressValue('code')
  const code = askedCode !== null && askedCode in run.issueCounts ? askedCode : ''
  const [asked, ask] = useAddressText('q')
  const q = asked.trim()
  const query = { ...(severity && { severity }), ...(code && { code }), ...(q && { q }) }
  const isSettling = isUnderWay || (run.endedAt !== null && Date.now() - Date.parse(run.endedAt) < SETTLED_MS)
  const path = { id: run.feedId, run: run.id }
  const list = useList('/v1/panel/feeds/{id}/runs/{run}/issues', {
    path,
    query,
    refreshMs: isSettling && REFRESH_MS,
  })
  const codes = Object.entries(run.issueCounts).sort(([, a], [, b]) => b - a)
  const loadCsv = () =>
    answer(
      client.GET('/v1/panel/feeds/{id}/runs/{run}/issues', {
        params: { path, query: { ...query, format: 'csv' } },
        parseAs: 'blob',
      }),
    )
  return (
    <PanelCard
      title={t('issues')}
      description={t('issuesHelp')}
      actions={
        codes.length > 0 && (
          <CsvButton name={`issues-${run.id}.csv`} load={loadCsv} size="xs">
            {t('csv')}
          </CsvButton>
        )
      }
    >
      <Chip.Group value={code} onChange={(value) => setCode(value as string)}>
        <Group gap={6} mb="sm" role="group" aria-label={t('issuesByCode')}>
          {codes.map(([each, count]) => (
            <Chip
              key={each}
              value={each}
              size="xs"
              radius="sm"
              variant="outline"
              onClick={() => each === code && setCode(null)}
            >
              {t('codeAndCount', { name: issueName(each), count: formatCount(count) })}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <DataTable
        label={t('issuesLabel')}
        list={list}
        columns={columnsIn(run.shopId)}
        rowKey={(issue) => [issue.line, issue.productId, issue.field, issue.code, issue.message].join()}
        search={{ asked, ask }}
        filters={
          <SegmentedControl
            aria-label={t('severity')}
            size="xs"
            value={severity ?? ALL}
            onChange={(value) => setSeverity(value === ALL ? null : value)}
            data={[
              { value: ALL, label: t('all') },
              { value: 'REJECTED', label: t('rejected') },
              { value: 'WARNING', label: t('warnings') },
            ]}
          />
        }
        empty={{
          title: codes.length === 0 ? noIssues(run, isUnderWay) : t('noneOfThese'),
          ...(isSettling && codes.length > 0 && { description: t('issuesSoon') }),
        }}
      />
    </PanelCard>
  )
}
