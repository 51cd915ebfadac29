import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { NAME_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../../client/client.ts'
import type { SigningKey } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shops.ts'

const columns: Column<SigningKey>[] = [
  { title: t('name'), cell: ({ name }) => name },
  { title: t('keyId'), cell: ({ id }) => <CopyField value={id} label={t('keyId')} /> },
  { title: t('keyCreated'), cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  { title: t('actions'), align: 'end', cell: (signingKey) => <DeleteKey signingKey={signingKey} /> },
]

/** The keys with which a shop's pages sign their events. */
export function SigningKeys({ shopId }: { shopId: string }) {
  const list = useList('/v1/panel/signing-keys', { query: { shopId }, pageSize: PAGE_SIZE_MAX })
  const [isNew, setNew] = useState(false)
  const create = (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
      {t('newKey')}
    </Button>
  )
  return (
    <PanelCard title={t('keys')} description={t('keysHelp')} actions={create}>
      <DataTable
        label={t('keys')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={{ title: t('noKeys'), description: t('noKeysHelp') }}
      />
      {isNew && <KeyDialog shopId={shopId} close={() => setNew(false)} />}
    </PanelCard>
  )
}

function KeyDialog({ shopId, close }: { shopId: string; close: () => void }) {
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null)
  const form = useForm({ initialValues: { name: '' } })
  const { submit, isSaving } = useSave({
    save: ({ name }: { name: string }) => answer(client.POST('/v1/panel/signing-keys', { body: { shopId, name } })),
    changes: ['/v1/panel/signing-keys'],
    form,
    onSaved: ({ id, secret }) => setMade({ id, secret: secret ?? '' }),
  })
  if (made !== null) return <MadeKey {...made} close={close} />
  return (
    <Dialog opened onClose={close} title={t('newKeyTitle')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <TextInput
            label={t('name')}
            description={t('keyNameHelp')}
            required
            maxLength={NAME_CHARS_MAX}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <DialogActions label={t('createKey')} isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Dialog>
  )
}

function MadeKey({ id, secret, close }: { id: string; secret: string; close: () => void }) {
  return (
    <Dialog opened onClose={close} title={t('theKey')} closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        <Alert color="yellow" variant="light">
          {t('copySecret')}
        </Alert>
        <DetailList
          details={{
            [t('keyId')]: <CopyField value={id} label={t('keyId')} />,
            [t('secret')]: <CopyField value={secret} label={t('secret')} />,
          }}
        />
        <Group justify="flex-end">
          <Button onClick={close}>{t('copied')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function DeleteKey({ signingKey: { id, name } }: { signingKey: SigningKey }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/signing-keys/{id}', { params: { path: { id } } })),
    changes: ['/v1/panel/signing-keys'],
    saved: t('keyDeleted'),
  })
  return (
    <ConfirmButton
      size="compact-sm"
      aria-label={t('deleteNamed', { name })}
      title={t('deleteKey', { name })}
      message={t('deleteKeyHelp')}
      confirm={t('delete')}
      onConfirm={() => submit(undefined)}
    >
      {t('delete')}
    </ConfirmButton>
  )
}
