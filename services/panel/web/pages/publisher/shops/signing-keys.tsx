import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { SigningKey } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { CopyField } from '../../../components/values/copy-field.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { PAGE_SIZE_MAX, useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'

const columns: Column<SigningKey>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Key id', cell: ({ id }) => <CopyField value={id} label="Key id" /> },
  { title: 'Created', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  { title: 'Actions', align: 'end', cell: (signingKey) => <DeleteKey signingKey={signingKey} /> },
]

/** The keys that pages of a shop sign their events with. */
export function SigningKeys({ shopId }: { shopId: string }) {
  const list = useList('/v1/panel/signing-keys', { query: { shopId }, pageSize: PAGE_SIZE_MAX })
  const [isNew, setNew] = useState(false)
  const create = (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setNew(true)}>
      New key
    </Button>
  )
  return (
    <PanelCard
      title="Signing keys"
      description="Your server signs with one what a page will send. Servers that send themselves use a token with the scope events."
      actions={create}
    >
      <DataTable
        label="Signing keys"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={{ title: 'No keys', description: 'Without one, what pages send is anonymous.' }}
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
    <Modal opened onClose={close} title="New signing key">
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <TextInput
            label="Name"
            description="Which pages or servers use it"
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <DialogActions label="Create key" isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Modal>
  )
}

function MadeKey({ id, secret, close }: { id: string; secret: string; close: () => void }) {
  return (
    <Modal opened onClose={close} title="The signing key" closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        <Alert color="yellow" variant="light">
          Copy the secret now: it is shown this once. Keep it on your server, never in a page.
        </Alert>
        <DetailList
          details={{
            'Key id': <CopyField value={id} label="Key id" />,
            Secret: <CopyField value={secret} label="Secret" />,
          }}
        />
        <Group justify="flex-end">
          <Button onClick={close}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function DeleteKey({ signingKey: { id, name } }: { signingKey: SigningKey }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/signing-keys/{id}', { params: { path: { id } } })),
    changes: ['/v1/panel/signing-keys'],
    saved: 'Key deleted',
  })
  return (
    <ConfirmButton
      size="compact-sm"
      aria-label={`Delete ${name}`}
      title={`Delete the key ${name}?`}
      message="What pages signed with it is refused from now on. It cannot be brought back."
      confirm="Delete"
      onConfirm={() => submit(undefined)}
    >
      Delete
    </ConfirmButton>
  )
}
