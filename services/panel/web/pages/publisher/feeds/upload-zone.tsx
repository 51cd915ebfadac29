import '@mantine/dropzone/styles.css'
import { Group, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconFileUpload } from '@tabler/icons-react'
import { answer, client } from '../../../client/client.ts'
import type { FeedRun } from '../../../client/types.ts'
import { useSave } from '../../../data/use-save.ts'
import { runPaths } from './runs.ts'

export interface UploadZoneProps {
  feedId: string
  onStarted: (run: FeedRun) => void
}

/** Uploads a feed's file, dropped or chosen, which starts a run. */
export function UploadZone({ feedId, onStarted }: UploadZoneProps) {
  const { submit, isSaving, problem } = useSave({
    save: (file: File) =>
      answer(
        client.POST('/v1/panel/feeds/{id}/content', {
          params: { path: { id: feedId } },
          headers: { 'content-type': 'application/octet-stream' },
          // The generated client types any body that is not JSON as text.
          body: file as unknown as string,
          bodySerializer: (body) => body,
        }),
      ),
    changes: runPaths,
    saved: 'File uploaded',
    onSaved: (run) => run && onStarted(run as FeedRun),
  })
  return (
    <Dropzone
      onDrop={([file]) => file && void submit(file)}
      loading={isSaving}
      multiple={false}
      p="lg"
      inputProps={{ 'aria-label': 'File of the feed' }}
    >
      <Group justify="center" gap="md" mih={64} style={{ pointerEvents: 'none' }}>
        <IconFileUpload size={32} stroke={1.5} aria-hidden />
        <div>
          <Text fw={500}>Drop the feed’s file here, or click to choose it</Text>
          <Text size="sm" c={problem ? 'red' : 'dimmed'}>
            {problem?.message ?? 'XML, or its gzip. It takes the place of all that the feed held'}
          </Text>
        </div>
      </Group>
    </Dropzone>
  )
}
