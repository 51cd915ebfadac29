import { Button, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconEraser } from '@tabler/icons-react'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Erasure } from '../../../client/types.ts'
import { DialogActions } from '../../../components/form/dialog-actions.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { RelativeTime } from '../../../components/values/times.tsx'
import { useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shops.ts'

const PATH = '/v1/panel/erasures'
const REFRESH_MS = 10_000
const IDENTIFIER_CHARS_MAX = 256

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

/** The erasure requests of a shop, latest first: shoppers who asked to be forgotten. */
export function Erasures({ shopId }: { shopId: string }) {
  const list = useList(PATH, { query: { shopId }, refreshMs: REFRESH_MS })
  const [isNew, setNew] = useState(false)
  const erase = (
    <Button size="xs" leftSection={<IconEraser size={16} aria-hidden />} onClick={() => setNew(true)}>
      {t('newErasure')}
    </Button>
  )
  return (
    <PanelCard title={t('erasures')} description={t('erasuresHelp')} actions={erase}>
      <DataTable
        label={t('erasures')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={{ title: t('noErasures'), description: t('noErasuresHelp') }}
      />
      {isNew && <EraseDialog shopId={shopId} close={() => setNew(false)} />}
    </PanelCard>
  )
}

interface Person {
  kind: 'cid' | 'uid'
  identifier: string
}

function EraseDialog({ shopId, close }: { shopId: string; close: () => void }) {
  const form = useForm<Person>({ initialValues: { kind: 'uid', identifier: '' } })
  const { submit, isSaving } = useSave({
    save: ({ kind, identifier }: Person) => answer(client.POST(PATH, { body: { shopId, [kind]: identifier.trim() } })),
    changes: [PATH],
    form,
    saved: t('erasureTaken'),
    onSaved: close,
  })
  return (
    <Modal opened onClose={close} title={t('newErasureTitle')}>
      <form onSubmit={form.onSubmit((values) => void submit(values))}>
        <Stack>
          <Select
            label={t('knownBy')}
            data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('kind')}
          />
          <TextInput
            label={t('identifier')}
            description={t('identifierHelp')}
            required
            maxLength={IDENTIFIER_CHARS_MAX}
            data-autofocus
            {...form.getInputProps('identifier')}
          />
          <DialogActions label={t('eraseForGood')} isSaving={isSaving} close={close} />
        </Stack>
      </form>
    </Modal>
  )
}
