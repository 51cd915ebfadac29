import { Alert, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconDownload, IconUpload } from '@tabler/icons-react'
import { SYNONYMS_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../../client/client.ts'
import type { ApiProblem } from '../../../client/problem.ts'
import type { EmptySearches as Searches, Synonyms } from '../../../client/types.ts'
import { UnsavedGuard } from '../../../components/form/unsaved-guard.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { formatCount } from '../../../components/values/numbers.ts'
import { saveFile } from '../../../components/values/save-file.ts'
import { mergedLines } from '../../../data/changes/merge.ts'
import { useChange } from '../../../data/changes/use-change.ts'
import { t } from '../../../messages/pages/shop/search.ts'
import { AddLine, type BegunLine } from './add-line.tsx'
import { SynonymsPreview } from './synonyms-preview.tsx'

const FILE = 'synonyms.txt'

export interface SynonymsEditorProps {
  synonyms: Synonyms
  /** The searches that found nothing; undefined until they are known. */
  searches: Searches['items'] | undefined
  begun: BegunLine
}

/** The synonyms of a shop as text, and the effect of a change to them. */
export function SynonymsEditor({ synonyms, searches, begun }: SynonymsEditorProps) {
  const { id } = synonyms
  const form = useForm({ initialValues: valuesOf(synonyms) })
  const { text } = form.values
  const { clashes, submit, isSaving, problem } = useChange({
    form,
    path: '/v1/panel/shops/{id}/synonyms',
    entity: synonyms,
    valuesOf,
    mergeField: mergedLines,
    send: ({ after, header }) =>
      answer(client.PUT('/v1/panel/shops/{id}/synonyms', { params: { path: { id }, header }, body: after })),
    changes: ['/v1/panel/shops'],
    saved: t('saved'),
  })
  const setText = (next: string) => form.setFieldValue('text', next)
  return (
    <Stack gap="lg">
      <form onSubmit={form.onSubmit(() => void submit())}>
        <PanelCard
          title={t('synonyms')}
          description={t('synonymsHelp')}
          actions={<FileActions text={text} onText={setText} />}
        >
          <Stack>
            <AddLine
              key={begun.words}
              begun={begun}
              onAdd={(line) => setText(text === '' || text.endsWith('\n') ? text + line : `${text}\n${line}`)}
            />
            <Textarea
              label={t('lines')}
              description={t('linesHelp')}
              autosize
              minRows={8}
              maxRows={24}
              spellCheck={false}
              maxLength={SYNONYMS_CHARS_MAX}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              {...form.getInputProps('text')}
              error={form.errors.text && <Faults problem={problem} />}
            />
            <div role="status">
              {clashes.length > 0 && form.isDirty() && <Alert color="blue">{t('linesOfOthers')}</Alert>}
            </div>
            <UnsavedGuard hasChanges={form.isDirty} />
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {t('rules', { count: synonyms.rules })}
              </Text>
              <Group gap="xs">
                <Button variant="default" disabled={!form.isDirty()} onClick={form.reset}>
                  {t('undo')}
                </Button>
                <Button type="submit" loading={isSaving}>
                  {t('save')}
                </Button>
              </Group>
            </Group>
          </Stack>
        </PanelCard>
      </form>
      <SynonymsPreview
        shopId={id}
        saved={synonyms.text}
        text={text}
        searched={searches?.map(({ phrase }) => phrase) ?? []}
      />
    </Stack>
  )
}

const valuesOf = ({ text }: Synonyms) => ({ text })

/** The errors of the text, line by line. */
function Faults({ problem }: { problem: ApiProblem | null }) {
  return (
    <>
      {problem?.errors.map(({ message }) => (
        <span key={message} style={{ display: 'block' }}>
          {message.charAt(0).toUpperCase() + message.slice(1)}
        </span>
      ))}
    </>
  )
}

function FileActions({ text, onText }: { text: string; onText: (text: string) => void }) {
  async function read(file: File | null) {
    if (!file) return
    const content = file.size > SYNONYMS_CHARS_MAX * 4 ? null : await file.text()
    if (content !== null && content.length <= SYNONYMS_CHARS_MAX) onText(content)
    else notifications.show({ message: t('tooLong', { max: formatCount(SYNONYMS_CHARS_MAX) }), color: 'red' })
  }
  return (
    <Group gap="xs">
      <FileButton accept=".txt,text/plain" onChange={(file) => void read(file)}>
        {(props) => (
          <Button
            {...props}
            size="xs"
            variant="default"
            title={t('uploadHelp')}
            leftSection={<IconUpload size={16} aria-hidden />}
          >
            {t('upload')}
          </Button>
        )}
      </FileButton>
      <Button
        size="xs"
        variant="default"
        onClick={() => saveFile(FILE, new Blob([text], { type: 'text/plain;charset=utf-8' }))}
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {t('download')}
      </Button>
    </Group>
  )
}
