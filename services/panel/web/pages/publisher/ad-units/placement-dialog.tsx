import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, client } from '../../../client/client.ts'
import type { Placement } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { useSave } from '../../../data/use-save.ts'

export interface PlacementDialogProps {
  /** Undefined for a new one. */
  placement: Placement | undefined
  shopId: string
  close: () => void
}

type Values = Pick<Placement, 'name' | 'kind'>

/** Makes a placement, or renames or deletes one. */
export function PlacementDialog({ placement, shopId, close }: PlacementDialogProps) {
  const form = useForm<Values>({
    initialValues: { name: placement?.name ?? '', kind: placement?.kind ?? 'PRODUCT' },
    validate: { name: (name) => (name.trim() === '' ? 'Required' : null) },
  })
  const { submit, isSaving } = useSave({
    save: ({ name, kind }: Values) =>
      placement
        ? answer(client.PATCH('/v1/panel/placements/{id}', { params: { path: { id: placement.id } }, body: { name } }))
        : answer(client.POST('/v1/panel/placements', { body: { shopId, name, kind } })),
    changes: ['/v1/panel/placements'],
    form,
    saved: placement ? 'Placement saved' : 'Placement created',
    onSaved: close,
  })
  return (
    <Modal opened onClose={close} title={placement ? `Edit ${placement.name}` : 'New placement'}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <TextInput
            label="Name"
            description="Where on the page: “Search results, top”"
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          {!placement && (
            <Radio.Group label="What it shows" description="Cannot be changed later" {...form.getInputProps('kind')}>
              <Stack gap="xs" mt="xs">
                <Radio value="PRODUCT" label="Sponsored products" description="Products of the feed, paid by click" />
                <Radio value="DISPLAY" label="Banners" description="Images and texts of advertisers, paid by view" />
              </Stack>
            </Radio.Group>
          )}
          <Group justify="space-between">
            <div>{placement && <DeletePlacement placement={placement} done={close} />}</div>
            <Group gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={isSaving}>
                {placement ? 'Save' : 'Create placement'}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function DeletePlacement({ placement: { id, name }, done }: { placement: Placement; done: () => void }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/placements/{id}', { params: { path: { id } } })),
    changes: ['/v1/panel/placements'],
    saved: 'Placement deleted',
    onSaved: done,
  })
  return (
    <DeleteButton
      what="placement"
      name={name}
      message="Its ad units must be deleted before. Reports go on to name it."
      onConfirm={() => submit(undefined)}
    />
  )
}
