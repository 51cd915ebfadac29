import { Alert, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { answer, client } from '../../../client/client.ts'
import type { FeedRun } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { StatCard } from '../../../components/page/stat-card.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { useSave } from '../../../data/use-save.ts'
import { isUnderWay, runPaths } from './runs.ts'

/** The progress of a run, and what it waits for. */
export function RunSummary({ run }: { run: FeedRun }) {
  return (
    <Stack gap="md">
      {isUnderWay(run) && (
        <div>
          <Progress value={100} animated aria-label="The run is under way" size="sm" />
          <Text size="sm" c="dimmed" mt={4} role="status">
            {run.status === 'QUEUED' ? 'Waits for its turn' : `${formatCount(run.total)} items read so far`}
          </Text>
        </div>
      )}
      {run.status === 'HELD' && <Held run={run} />}
      {run.status === 'FAILED' && (
        <Alert color="red" icon={<IconAlertTriangle />} title="The run failed">
          {run.message} Nothing was removed.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, xs: 3, lg: 6 }} spacing="sm">
        <StatCard label="Items" value={formatCount(run.total)} hint="in the file" />
        <StatCard label="Changed" value={formatCount(run.changed)} hint="new or different" />
        <StatCard label="Unchanged" value={formatCount(run.unchanged)} hint="as before" />
        <StatCard label="Removed" value={formatCount(run.removed)} hint="not in the file" />
        <StatCard label="Rejected" value={formatCount(run.rejected)} hint="not taken" />
        <StatCard label="Warnings" value={formatCount(run.warnings)} hint="taken, corrected" />
      </SimpleGrid>
    </Stack>
  )
}

function Held({ run: { id, feedId, message } }: { run: FeedRun }) {
  const { submit } = useSave({
    save: () =>
      answer(client.POST('/v1/panel/feeds/{id}/runs/{run}/confirm', { params: { path: { id: feedId, run: id } } })),
    changes: runPaths,
    saved: 'Confirmed: the products are being removed',
  })
  return (
    <Alert color="orange" icon={<IconAlertTriangle />} title="The run is held">
      <Group justify="space-between" gap="sm">
        <Text size="sm" maw={560}>
          {`${message}. New and changed products are in force already, nothing was removed. If the file is broken or cut off, leave it: a later good run takes its place.`}
        </Text>
        <ConfirmButton
          color="red"
          title="Remove these products?"
          message={`${message?.replace(/:.*/, '')}. Campaigns that promote them go on without them.`}
          confirm="Remove them"
          onConfirm={() => submit(undefined)}
        >
          Let it remove them
        </ConfirmButton>
      </Group>
    </Alert>
  )
}
