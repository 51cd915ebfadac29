import { Button, Code, Select, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Item, Query } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { Dialog } from '../../../components/form/dialog.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { DateTime, RelativeTime } from '../../../components/values/times.tsx'
import { useAddressText, useAddressValue } from '../../../data/use-address-value.ts'
import { useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'
import { useSettled } from '../../../data/use-settled.ts'
import { t } from '../../../messages/pages/administration.ts'

type DeadLetter = Item<'/v1/panel/dead-letters'>
type Filter = Pick<Query<'/v1/panel/dead-letters'>, 'stream' | 'topic'>

/** The records that the streams could not process, with a filter and a button that replays all matching records. */
export function DeadLetters({ topics }: { topics: readonly string[] }) {
  const [askedTopic, setTopic] = useAddressValue('topic')
  const topic = topics.find((each) => each === askedTopic) ?? null
  const [asked, ask] = useAddressText('stream')
  const stream = asked.trim()
  const [shown, setShown] = useState<DeadLetter | null>(null)
  const filter: Filter = { ...(topic && { topic: topic as NonNullable<Filter['topic']> }), ...(stream && { stream }) }
  const list = useList('/v1/panel/dead-letters', { query: filter })

  const columns: Column<DeadLetter>[] = [
    { title: t('reason'), cell: ({ code, message }) => `${code}: ${message}` },
    { title: t('stream'), cell: (letter) => letter.stream },
    { title: t('record'), cell: (letter) => `${letter.topic}/${letter.partition}/${letter.offset}` },
    { title: t('failed'), cell: ({ failedAt }) => <RelativeTime at={failedAt} /> },
    {
      title: t('state'),
      cell: ({ replayed }) => (
        <StatusBadge status={replayed ? 'DONE' : 'FAILED'} label={replayed ? t('replayed') : t('waiting')} />
      ),
    },
    {
      title: t('actions'),
      align: 'end',
      cell: (letter) => (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setShown(letter)}
          aria-label={t('detailsOf', { id: String(letter.id) })}
        >
          {t('details')}
        </Button>
      ),
    },
  ]
  return (
    <PanelCard
      title={t('failedEvents')}
      description={t('failedEventsHelp')}
      actions={<ReplayButton filter={filter} isEmpty={list.items?.length === 0} />}
    >
      <DataTable
        label={t('failedEvents')}
        list={list}
        columns={columns}
        rowKey={({ id }) => String(id)}
        filters={
          <>
            <Select
              aria-label={t('topic')}
              placeholder={t('allTopics')}
              clearable
              data={[...topics]}
              value={topic}
              onChange={setTopic}
            />
            <StreamField settle={ask} />
          </>
        }
        empty={
          topic === null && stream === ''
            ? { title: t('noFailedEvents'), description: t('noFailedEventsHelp') }
            : { title: t('noFailedMatch'), description: t('noFailedMatchHelp') }
        }
      />
      {shown && <LetterDialog letter={shown} close={() => setShown(null)} />}
    </PanelCard>
  )
}

function StreamField({ settle }: { settle: (text: string) => void }) {
  const [typed, setTyped] = useAddressText('stream')
  useSettled(typed, settle)
  return (
    <TextInput
      aria-label={t('stream')}
      placeholder={t('stream')}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  )
}

function ReplayButton({ filter, isEmpty }: { filter: Filter; isEmpty: boolean }) {
  const { submit } = useSave({
    save: () => answer(client.POST('/v1/panel/dead-letters/replay', { body: filter })),
    changes: ['/v1/panel/dead-letters', '/v1/panel/audit'],
    onSaved: ({ replayed, skipped, gone }) =>
      notifications.show({ message: t('replayDone', { replayed, skipped, gone }) }),
  })
  return (
    <ConfirmButton
      size="xs"
      color="indigo"
      variant="default"
      disabled={isEmpty}
      title={t('replayQuestion')}
      message={t('replayHelp')}
      confirm={t('replay')}
      onConfirm={() => submit(undefined)}
    >
      {t('replay')}
    </ConfirmButton>
  )
}

/** One dead letter, with its record if it can be decoded. */
function LetterDialog({ letter, close }: { letter: DeadLetter; close: () => void }) {
  const { id, stream, topic, partition, offset, key, code, message, failedAt, bytes, record } = letter
  return (
    <Dialog opened onClose={close} title={t('failedEvent', { id: String(id) })} size="lg">
      <Stack>
        <DetailList
          details={{
            [t('reason')]: `${code}: ${message}`,
            [t('stream')]: stream,
            [t('record')]: t('recordPlace', { topic, partition, offset: String(offset) }),
            [t('key')]: key,
            [t('failed')]: <DateTime at={failedAt} />,
            [t('size')]: bytes === null ? t('notKept') : t('bytes', { count: bytes }),
          }}
        />
        {record == null ? (
          <Text size="sm" c="dimmed">
            {t('cannotDecode')}
          </Text>
        ) : (
          <Code block mah={360} style={{ overflow: 'auto' }} tabIndex={0}>
            {JSON.stringify(record, null, 2)}
          </Code>
        )}
      </Stack>
    </Dialog>
  )
}
