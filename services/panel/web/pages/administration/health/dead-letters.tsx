import { Button, Code, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { answer, client } from '../../../client/client.ts'
import type { Item, Query } from '../../../client/types.ts'
import { ConfirmButton } from '../../../components/form/confirm-button.tsx'
import { type Column, DataTable } from '../../../components/page/data-table.tsx'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { StatusBadge } from '../../../components/values/status-badge.tsx'
import { DateTime, RelativeTime } from '../../../components/values/times.tsx'
import { useList } from '../../../data/use-list.ts'
import { useSave } from '../../../data/use-save.ts'

type DeadLetter = Item<'/v1/panel/dead-letters'>
type Filter = Pick<Query<'/v1/panel/dead-letters'>, 'stream' | 'topic'>

const TYPING_MS = 300

/** The records that the streams could not process, with a filter, and a button that replays all that match. */
export function DeadLetters({ topics }: { topics: readonly string[] }) {
  const [topic, setTopic] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const [stream] = useDebouncedValue(typed.trim(), TYPING_MS)
  const [shown, setShown] = useState<DeadLetter | null>(null)
  const filter: Filter = { ...(topic && { topic: topic as NonNullable<Filter['topic']> }), ...(stream && { stream }) }
  const list = useList('/v1/panel/dead-letters', { query: filter })

  const columns: Column<DeadLetter>[] = [
    { title: 'Reason', cell: ({ code, message }) => `${code}: ${message}` },
    { title: 'Stream', cell: (letter) => letter.stream },
    { title: 'Record', cell: (letter) => `${letter.topic}/${letter.partition}/${letter.offset}` },
    { title: 'Failed', cell: ({ failedAt }) => <RelativeTime at={failedAt} /> },
    {
      title: 'State',
      cell: ({ replayed }) => (
        <StatusBadge status={replayed ? 'DONE' : 'FAILED'} label={replayed ? 'Replayed' : 'Waiting'} />
      ),
    },
    {
      title: 'Actions',
      align: 'end',
      cell: (letter) => (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => setShown(letter)}
          aria-label={`Look at letter ${letter.id}`}
        >
          Look
        </Button>
      ),
    },
  ]
  return (
    <PanelCard
      title="Dead letters"
      description="Records that a stream gave up on. Replay once the reason is gone: nothing is counted twice."
      actions={<ReplayButton filter={filter} isEmpty={list.items?.length === 0} />}
    >
      <DataTable
        label="Dead letters"
        list={list}
        columns={columns}
        rowKey={({ id }) => String(id)}
        filters={
          <>
            <Select
              aria-label="Topic"
              placeholder="All topics"
              clearable
              data={[...topics]}
              value={topic}
              onChange={setTopic}
            />
            <TextInput
              aria-label="Stream"
              placeholder="Stream"
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </>
        }
        empty={{ title: 'No dead letters', description: 'Everything was processed.' }}
      />
      {shown && <LetterDialog letter={shown} close={() => setShown(null)} />}
    </PanelCard>
  )
}

function ReplayButton({ filter, isEmpty }: { filter: Filter; isEmpty: boolean }) {
  const { submit } = useSave({
    save: () => answer(client.POST('/v1/panel/dead-letters/replay', { body: filter })),
    changes: ['/v1/panel/dead-letters', '/v1/panel/audit'],
    onSaved: ({ replayed, skipped, gone }) =>
      notifications.show({ message: `${replayed} replayed, ${skipped} had been before, ${gone} are gone` }),
  })
  const which = [filter.topic && `of ${filter.topic}`, filter.stream && `by ${filter.stream}`].filter(Boolean)
  return (
    <ConfirmButton
      size="xs"
      color="indigo"
      variant="default"
      disabled={isEmpty}
      title="Replay dead letters?"
      message={`All letters ${which.join(' ')} that were not replayed yet, a thousand at most, go to their topics again.`}
      confirm="Replay"
      onConfirm={() => submit(undefined)}
    >
      Replay
    </ConfirmButton>
  )
}

/** One dead letter, with its record where it can be decoded. */
function LetterDialog({ letter, close }: { letter: DeadLetter; close: () => void }) {
  const { id, stream, topic, partition, offset, key, code, message, failedAt, bytes, record } = letter
  return (
    <Modal opened onClose={close} title={`Dead letter ${id}`} size="lg">
      <Stack>
        <DetailList
          details={{
            Reason: `${code}: ${message}`,
            Stream: stream,
            Record: `${topic}, partition ${partition}, offset ${offset}`,
            Key: key,
            Failed: <DateTime at={failedAt} />,
            Size: bytes === null ? 'not kept' : `${bytes} bytes`,
          }}
        />
        {record == null ? (
          <Text size="sm" c="dimmed">
            The record cannot be decoded.
          </Text>
        ) : (
          <Code block mah={360} style={{ overflow: 'auto' }} tabIndex={0}>
            {JSON.stringify(record, null, 2)}
          </Code>
        )}
      </Stack>
    </Modal>
  )
}
