import { Alert, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { answer, client } from '../../../../client/client.ts'
import type { FeedRun } from '../../../../client/types.ts'
import { ConfirmButton } from '../../../../components/form/confirm-button.tsx'
import { StatCard } from '../../../../components/page/stat-card.tsx'
import { formatCount } from '../../../../components/values/numbers.ts'
import { useSave } from '../../../../data/use-save.ts'
import { t } from '../../../../messages/pages/shop/feeds.ts'
import { isIndexing, isUnderWay, runPaths } from './runs.ts'

/** The progress of a run, and what the run waits for. */
export function RunSummary({ run }: { run: FeedRun }) {
  return (
    <Stack gap="md">
      {isUnderWay(run) && (
        <div>
          <Progress value={100} animated aria-label={t('runUnderWay')} size="sm" />
          <Text size="sm" c="dimmed" mt={4} role="status">
            {run.status === 'QUEUED' ? t('waiting') : t('readSoFar', { count: run.total })}
          </Text>
        </div>
      )}
      {isIndexing(run) && (
        <Text size="sm" c="dimmed" role="status">
          {t('indexing')}
        </Text>
      )}
      {run.outcome === 'HELD' && <Held run={run} />}
      {run.outcome === 'REPLACED' && <Text size="sm">{`${run.message}.`}</Text>}
      <SimpleGrid cols={{ base: 2, xs: 3, lg: 6 }} spacing="sm">
        <StatCard label={t('products')} value={formatCount(run.total)} hint={t('inTheFile')} />
        <StatCard label={t('changed')} value={formatCount(run.changed)} hint={t('newOrDifferent')} />
        <StatCard label={t('unchanged')} value={formatCount(run.unchanged)} hint={t('asBefore')} />
        <StatCard label={t('removed')} value={formatCount(run.removed)} hint={t('notInFile')} />
        <StatCard label={t('rejected')} value={formatCount(run.rejected)} hint={t('notAccepted')} />
        <StatCard label={t('warnings')} value={formatCount(run.warnings)} hint={t('acceptedCorrected')} />
      </SimpleGrid>
    </Stack>
  )
}

function Held({ run: { id, feedId, message } }: { run: FeedRun }) {
  const { submit } = useSave({
    save: () =>
      answer(client.POST('/v1/panel/feeds/{id}/runs/{run}/confirm', { params: { path: { id: feedId, run: id } } })),
    changes: runPaths,
    saved: t('confirmed'),
  })
  const what = (message ?? '').replace(/:.*/, '')
  return (
    <Alert color="orange" icon={<IconAlertTriangle />} title={t('runHeld')}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" maw={560}>
          {t('heldHelp', { message: what })}
        </Text>
        <ConfirmButton
          color="red"
          title={t('removeQuestion')}
          message={t('removeMeans', { message: what })}
          confirm={t('remove')}
          onConfirm={() => submit(undefined)}
        >
          {t('letRemove')}
        </ConfirmButton>
      </Group>
    </Alert>
  )
}
