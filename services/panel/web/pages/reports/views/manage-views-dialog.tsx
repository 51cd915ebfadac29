import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { SavedView } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/reports.ts'
import { useViewChanges, VIEWS_PATH } from './use-views.ts'

/** Renames and deletes saved views, and chooses the view with which Reports opens. */
export function ManageViewsDialog({ views, close }: { views: readonly SavedView[]; close: () => void }) {
  return (
    <Dialog opened onClose={close} title={t('manageViewsTitle')} size="lg">
      <Stack gap="sm">
        {views.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('noViews')}
          </Text>
        )}
        {views.map((view) => (
          <ViewRow key={view.id} view={view} />
        ))}
      </Stack>
    </Dialog>
  )
}

function ViewRow({ view }: { view: SavedView }) {
  const [isRenaming, setRenaming] = useState(false)
  const { change, remove } = useViewChanges()
  const { id, name, isDefault } = view
  if (isRenaming) return <Rename view={view} close={() => setRenaming(false)} />
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs" flex={1} miw={160}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {isDefault && (
          <Badge variant="default" size="sm">
            {t('defaultView')}
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('renameView', { name })}
          onClick={() => setRenaming(true)}
        >
          {t('rename')}
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          aria-label={isDefault ? t('noDefaultView', { name }) : t('makeDefaultView', { name })}
          onClick={() => void change({ id, isDefault: !isDefault })}
        >
          {isDefault ? t('noDefault') : t('makeDefault')}
        </Button>
        <ConfirmButton
          size="compact-xs"
          aria-label={t('deleteView', { name })}
          title={t('deleteQuestion', { name })}
          message={t('deleteHelp')}
          confirm={t('delete')}
          onConfirm={() => remove(id)}
        >
          {t('delete')}
        </ConfirmButton>
      </Group>
    </Group>
  )
}

function Rename({ view, close }: { view: SavedView; close: () => void }) {
  const form = useForm({
    initialValues: { name: view.name },
    validate: { name: (name) => (name.trim() === '' ? t('nameRequired') : null) },
  })
  const { submit, isSaving } = useSave({
    save: ({ name }: { name: string }) =>
      answer(
        client.PATCH('/v1/panel/report-views/{id}', {
          params: { path: { id: view.id } },
          body: { name: name.trim() },
        }),
      ),
    changes: [VIEWS_PATH],
    form,
    saved: t('viewSaved'),
    onSaved: close,
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="xs">
        <TextInput label={t('viewName')} required autoFocus {...form.getInputProps('name')} />
        <DialogActions label={t('rename')} isSaving={isSaving} close={close} />
      </Stack>
    </form>
  )
}
