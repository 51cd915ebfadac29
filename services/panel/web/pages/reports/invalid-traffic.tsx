import { Anchor, Progress, Skeleton, Table, Text } from '@mantine/core'
import { Link } from 'react-router'
import { ErrorState } from '../../components/page/error-state.tsx'
import { PanelCard } from '../../components/page/panel-card.tsx'
import { useEntity } from '../../data/use-entity.ts'
import { t } from '../../messages/pages/reports.ts'
import type { Days } from './controls/periods.ts'
import { figureText } from './figures/figures.ts'
import type { ReportState } from './report-state.ts'
import { queryOf } from './use-report.ts'
import { aboutOf, INVALID_METRICS, invalidReasons, wordFor } from './vocabulary.ts'

export interface InvalidTrafficProps {
  state: ReportState
  days: Days
  isReady: boolean
  /** The address of the same report by day, with the metrics of invalid traffic. */
  byDay: string
}

/** The views and clicks that did not count, by reason. They are not billed. */
export default function InvalidTraffic({ state, days, isReady, byDay }: InvalidTrafficProps) {
  const { groupBy: _, ...query } = queryOf({ ...state, metrics: INVALID_METRICS, whatIf: {} }, days)
  const { data, problem, retry } = useEntity('/v1/panel/reports', { query, enabled: isReady })
  const totals = data?.totals
  const all = totals?.invalid ?? 0
  return (
    <PanelCard
      title={t('invalidTraffic')}
      description={t('invalidTrafficHelp')}
      actions={
        <Anchor component={Link} to={byDay} size="sm">
          {t('dayByDay')}
        </Anchor>
      }
    >
      {problem && !data ? (
        <ErrorState problem={problem} retry={retry} />
      ) : (
        <Table verticalSpacing={6} aria-label={t('invalidTrafficByReason')}>
          <Table.Tbody>
            {invalidReasons.map((metric) => (
              <Table.Tr key={metric}>
                <Table.Th fw={400}>
                  {wordFor(metric)}
                  <Text size="xs" c="dimmed">
                    {aboutOf(metric)}
                  </Text>
                </Table.Th>
                <Table.Td ta="end" w={80}>
                  {totals ? figureText(metric, totals[metric], null) : <Skeleton height={14} width={40} ml="auto" />}
                </Table.Td>
                <Table.Td w="28%" visibleFrom="xs">
                  <Progress value={all === 0 ? 0 : (100 * (totals?.[metric] ?? 0)) / all} size="sm" aria-hidden />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{t('all')}</Table.Th>
              <Table.Th ta="end">{totals ? figureText('invalid', totals.invalid, null) : '–'}</Table.Th>
              <Table.Td visibleFrom="xs" />
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      )}
    </PanelCard>
  )
}
