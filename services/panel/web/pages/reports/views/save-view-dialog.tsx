import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { NAME_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../../client/client.ts'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/reports.ts'
import { VIEWS_PATH } from './use-views.ts'

/** Saves the settings of the report under a name. */
export function SaveViewDialog({ address, close }: { address: string; close: () => void }) {
  const form = useForm({
    initialValues: { name: '', isDefault: false },
    validate: { name: (name) => (name.trim() === '' ? t('nameRequired') : null) },
  })
  const { submit, isSaving } = useSave({
    save: ({ name, isDefault }: typeof form.values) =>
      answer(client.POST(VIEWS_PATH, { body: { name: name.trim(), address, isDefault } })),
    changes: [VIEWS_PATH],
    form,
    saved: t('viewSaved'),
    onSaved: close,
  })
  return (
    <Dialog opened onClose={close} title={t('saveViewTitle')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('saveViewHelp')}
          </Text>
          <TextInput
            label={t('viewName')}
            required
            maxLength={NAME_CHARS_MAX}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Checkbox label={t('isDefault')} {...form.getInputProps('isDefault', { type: 'checkbox' })} />
          <DialogActions label={t('save')} isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Dialog>
  )
}
