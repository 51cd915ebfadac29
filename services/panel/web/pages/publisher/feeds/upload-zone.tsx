import '@mantine/dropzone/styles.css'
import { Group, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconFileUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { FeedRun } from '../../../client/types.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/feeds.ts'
import { runPaths } from './runs/runs.ts'

export interface UploadZoneProps {
  feedId: string
  /** The number of products in the feed that the file replaces. */
  replaced: number
  onStarted: (run: FeedRun) => void
}

/** Uploads a feed's file, dropped or chosen, which starts a run. */
export function UploadZone({ feedId, replaced, onStarted }: UploadZoneProps) {
  const [sent, setSent] = useState<File | null>(null)
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
    saved: t('uploaded'),
    onSaved: (run) => run && onStarted(run as FeedRun),
  })
  const send = (file: File) => {
    setSent(file)
    void submit(file)
  }
  const help = problem?.message ?? t('uploadReplaces', { count: replaced })
  return (
    <Dropzone
      onDrop={([file]) => file && send(file)}
      disabled={isSaving}
      multiple={false}
      p="lg"
      inputProps={{ 'aria-label': t('fileOfFeed') }}
    >
      <Group justify="center" gap="md" mih={64} wrap="nowrap" style={{ pointerEvents: 'none' }}>
        <IconFileUpload size={32} stroke={1.5} aria-hidden style={{ flex: 'none' }} />
        <div role="status">
          <Text fw={500}>
            {isSaving && sent ? t('uploading', { name: sent.name, size: sizeText(sent.size) }) : t('dropFile')}
          </Text>
          <Text size="sm" c={problem ? 'red' : 'dimmed'}>
            {help}
          </Text>
        </div>
      </Group>
    </Dropzone>
  )
}

const megabytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'megabyte', maximumSignificantDigits: 2 })
const sizeText = (bytes: number) => megabytes.format(bytes / 1_000_000)
