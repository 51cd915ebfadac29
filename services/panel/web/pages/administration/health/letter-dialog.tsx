import { Code, Modal, Stack, Text } from '@mantine/core'
import { DetailList } from '../../../components/page/detail-list.tsx'
import { DateTime } from '../../../components/values/times.tsx'
import type { Letter } from './dead-letters.tsx'

/** One dead letter, with the record as far as it can be read. */
export function LetterDialog({ letter, close }: { letter: Letter; close: () => void }) {
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
