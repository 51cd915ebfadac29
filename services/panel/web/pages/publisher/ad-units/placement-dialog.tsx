import { Group, Radio, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useForm } from '@mantine/form'
import { NAME_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client, ifMatch } from '../../../client/client.ts'
import type { Placement } from '../../../client/types.ts'
import { Clashes } from '../../../components/form/clashes/clashes.tsx'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { useChange } from '../../../data/changes/use-change.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/placements.ts'

export interface PlacementDialogProps {
  /** Undefined for a new placement. */
  placement: Placement | undefined
  shopId: string
  close: () => void
}

/** Makes a placement, or renames or deletes one. */
export function PlacementDialog({ placement, shopId, close }: PlacementDialogProps) {
  return (
    <Dialog opened onClose={close} title={placement ? t('editNamed', { name: placement.name }) : t('newPlacement')}>
      {placement ? <Rename placement={placement} close={close} /> : <Create shopId={shopId} close={close} />}
    </Dialog>
  )
}

type Values = Pick<Placement, 'name' | 'kind'>
type PlacementForm = UseFormReturnType<Values>

const validate = { name: (name: string) => (name.trim() === '' ? t('required') : null) }

function Create({ shopId, close }: Pick<PlacementDialogProps, 'shopId' | 'close'>) {
  const form: PlacementForm = useForm<Values>({ initialValues: { name: '', kind: 'PRODUCT' }, validate })
  const { submit, isSaving } = useSave({
    save: (values: Values) => answer(client.POST('/v1/panel/placements', { body: { shopId, ...values } })),
    changes: ['/v1/panel/placements'],
    form,
    saved: t('created'),
    onSaved: close,
  })
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack>
        <NameField form={form} />
        <Radio.Group label={t('shows')} description={t('fixed')} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt="xs">
            <Radio value="PRODUCT" label={t('PRODUCT')} description={t('PRODUCT_help')} />
            <Radio value="DISPLAY" label={t('DISPLAY')} description={t('DISPLAY_help')} />
          </Stack>
        </Radio.Group>
        <DialogActions label={t('create')} isSaving={isSaving} close={close} />
      </Stack>
    </form>
  )
}

const valuesOf = ({ name, kind }: Placement): Values => ({ name, kind })

function Rename({ placement, close }: { placement: Placement; close: () => void }) {
  const form: PlacementForm = useForm<Values>({ initialValues: valuesOf(placement), validate })
  const change = useChange({
    form,
    path: '/v1/panel/placements/{id}',
    entity: placement,
    valuesOf,
    send: ({ after: { name }, header }) =>
      answer(
        client.PATCH('/v1/panel/placements/{id}', { params: { path: { id: placement.id }, header }, body: { name } }),
      ),
    changes: ['/v1/panel/placements'],
    saved: t('saved'),
    onSaved: close,
  })
  return (
    <form onSubmit={form.onSubmit(() => void change.submit())}>
      <Stack>
        <NameField form={form} />
        <Clashes {...change} />
        <Group justify="space-between">
          <DeletePlacement placement={placement} done={close} />
          <DialogActions label={t('save')} isSaving={change.isSaving} close={close} />
        </Group>
      </Stack>
    </form>
  )
}

const NameField = ({ form }: { form: PlacementForm }) => (
  <TextInput
    label={t('name')}
    description={t('nameHelp')}
    required
    maxLength={NAME_CHARS_MAX}
    data-autofocus
    {...form.getInputProps('name')}
  />
)

function DeletePlacement({ placement, done }: { placement: Placement; done: () => void }) {
  const { id, name, shopId, version } = placement
  const params = { path: { id }, header: ifMatch(version) }
  const { submit } = useSave({
    save: () => answer(client.DELETE('/v1/panel/placements/{id}', { params })),
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
