import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { IconDownload, IconEraser } from '@tabler/icons-react'
import { useState } from 'react'
import { ID_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import { answer, client } from '../../../client/client.ts'
import type { Erasure } from '../../../client/types.ts'
import { Dialog } from '../../../components/form/dialog.tsx'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { saveFile } from '../../../components/values/save-file.ts'
import { RelativeTime } from '../../../components/values/times.tsx'
import { useDownload } from '../../../data/use-download.ts'
import { useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shops.ts'

const PATH = '/v1/panel/erasures'
const REFRESH_MS = 10_000

const kinds = { cid: t('byCid'), uid: t('byUid') }

const columns: Column<Erasure>[] = [
  { title: t('erasureAsked'), cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { title: t('knownBy'), cell: ({ identifier }) => kinds[identifier] },
  { title: t('pseudonym'), cell: ({ pseudonym }) => pseudonym },
  {
    title: t('erasureDone'),
    cell: ({ erasedAt }) => (erasedAt === null ? t('erasurePending') : <RelativeTime at={erasedAt} />),
  },
  {
    title: t('logFree'),
    cell: ({ logFreeAt }) => (logFreeAt === null ? t('logNotFree') : <RelativeTime at={logFreeAt} />),
  },
]

/** The erasure requests of a shop, latest first: shoppers who asked to be forgotten. Others may ask for their data. */
export function Erasures({ shopId }: { shopId: string }) {
  const list = useList(PATH, { query: { shopId }, refreshMs: REFRESH_MS })
  const [dialog, setDialog] = useState<'ERASE' | 'HAND_OUT' | null>(null)
  const close = () => setDialog(null)
  const actions = (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => setDialog('HAND_OUT')}
      >
        {t('handOut')}
      </Button>
      <Button size="xs" leftSection={<IconEraser size={16} aria-hidden />} onClick={() => setDialog('ERASE')}>
        {t('newErasure')}
      </Button>
    </Group>
  )
  return (
    <PanelCard title={t('erasures')} description={t('erasuresHelp')} actions={actions}>
      <DataTable
        label={t('erasures')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={{ title: t('noErasures'), description: t('noErasuresHelp') }}
      />
      {dialog === 'ERASE' && <EraseDialog shopId={shopId} close={close} />}
      {dialog === 'HAND_OUT' && <HandOutDialog shopId={shopId} close={close} />}
    </PanelCard>
  )
}

interface Person {
  kind: 'cid' | 'uid'
  identifier: string
}

interface DialogProps {
  shopId: string
  close: () => void
}

const usePerson = () => useForm<Person>({ initialValues: { kind: 'uid', identifier: '' } })
const bodyOf = (shopId: string, { kind, identifier }: Person) => ({ shopId, [kind]: identifier.trim() })

function EraseDialog({ shopId, close }: DialogProps) {
  const form = usePerson()
  const { submit, isSaving } = useSave({
    save: (person: Person) => answer(client.POST(PATH, { body: bodyOf(shopId, person) })),
    changes: [PATH],
    form,
    saved: t('erasureTaken'),
    onSaved: close,
  })
  return (
    <Dialog opened onClose={close} title={t('newErasureTitle')}>
      <form onSubmit={form.onSubmit((person) => void submit(person))}>
        <Stack>
          <PersonFields form={form} help={t('identifierHelp')} />
          <Text size="sm">{t('erasureUnknown')}</Text>
          <DialogActions label={t('eraseForGood')} isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** Saves everything that is stored of a shopper as a file. */
function HandOutDialog({ shopId, close }: DialogProps) {
  const form = usePerson()
  const { isLoading, download } = useDownload()
  const load = (person: Person) =>
    answer(client.POST('/v1/panel/personal-data', { body: bodyOf(shopId, person), parseAs: 'blob' }))
  const save = (file: Blob) => {
    saveFile('personal-data.json', file)
    close()
  }
  return (
    <Dialog opened onClose={close} title={t('handOutTitle')}>
      <form onSubmit={form.onSubmit((person) => void download(() => load(person), save))}>
        <Stack>
          <PersonFields form={form} help={t('handOutHelp')} />
          <DialogActions label={t('download')} isSaving={isLoading} close={close} />
        </Stack>
      </form>
    </Dialog>
  )
}

function PersonFields({ form, help }: { form: UseFormReturnType<Person>; help: string }) {
  return (
    <>
      <Select
        label={t('knownBy')}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('kind')}
      />
      <TextInput
        label={t('identifier')}
        description={help}
        required
        maxLength={ID_CHARS_MAX}
        data-autofocus
        {...form.getInputProps('identifier')}
      />
    </>
  )
}
