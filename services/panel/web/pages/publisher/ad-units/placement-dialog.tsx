import { Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, client } from '../../../client/client.ts'
import type { Placement } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { Dialog } from '../../../components/form/dialog.tsx'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/placements.ts'

export interface PlacementDialogProps {
  /** Undefined for a new placement. */
  placement: Placement | undefined
  shopId: string
  close: () => void
}

type Values = Pick<Placement, 'name' | 'kind'>

/** Makes a placement, or renames or deletes one. */
export function PlacementDialog({ placement, shopId, close }: PlacementDialogProps) {
  const form = useForm<Values>({
    initialValues: { name: placement?.name ?? '', kind: placement?.kind ?? 'PRODUCT' },
    validate: { name: (name) => (name.trim() === '' ? t('required') : null) },
  })
  const { submit, isSaving } = useSave({
    save: ({ name, kind }: Values) =>
      placement
        ? answer(client.PATCH('/v1/panel/placements/{id}', { params: { path: { id: placement.id } }, body: { name } }))
        : answer(client.POST('/v1/panel/placements', { body: { shopId, name, kind } })),
    changes: ['/v1/panel/placements'],
    form,
    saved: placement ? t('saved') : t('created'),
    onSaved: close,
  })
  return (
    <Dialog opened onClose={close} title={placement ? t('editNamed', { name: placement.name }) : t('newPlacement')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <TextInput
            label={t('name')}
            description={t('nameHelp')}
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          {!placement && (
            <Radio.Group label={t('shows')} description={t('fixed')} {...form.getInputProps('kind')}>
              <Stack gap="xs" mt="xs">
                <Radio value="PRODUCT" label={t('PRODUCT')} description={t('PRODUCT_help')} />
                <Radio value="DISPLAY" label={t('DISPLAY')} description={t('DISPLAY_help')} />
              </Stack>
            </Radio.Group>
          )}
          <Group justify="space-between">
            <div>{placement && <DeletePlacement placement={placement} done={close} />}</div>
            <Group gap="xs">
              <Button variant="default" onClick={close}>
                {t('cancel')}
              </Button>
              <Button type="submit" loading={isSaving}>
                {placement ? t('save') : t('create')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function DeletePlacement({ placement: { id, name, shopId }, done }: { placement: Placement; done: () => void }) {
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/placements/{id}', { params: { path: { id } } })),
    changes: ['/v1/panel/placements'],
    saved: t('deleted'),
    onSaved: done,
  })
  return (
    <DeleteButton
      what={t('placement')}
      name={name}
      message={t('deleteHelp')}
      onConfirm={() => submit(undefined)}
      path="/v1/panel/placements/{id}/deletion"
      id={id}
      shopId={shopId}
    />
  )
}
