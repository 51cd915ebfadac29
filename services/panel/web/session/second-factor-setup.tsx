import { Alert, Button, Code, Group, Loader, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client } from '../client/client.ts'
import type { ApiProblem } from '../client/problem.ts'
import { CopyField } from '../components/values/copy-field.tsx'
import { QrCode } from './qr-code.tsx'

/** Sets up an authenticator app: the QR code, a code of the app, and the recovery codes. */
export function SecondFactorSetup({ done, cancel }: { done: () => void; cancel?: () => void }) {
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null)
  // A secret of its own each time, that is kept while the dialog is open.
  const begun = useQuery({
    queryKey: ['/v1/panel/session/second-factor'],
    queryFn: () => answer(client.POST('/v1/panel/session/second-factor')),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const form = useForm({ initialValues: { code: '' } })
  const prove = useMutation<{ recoveryCodes: string[] }, ApiProblem, { enrolment: string; code: string }>({
    mutationFn: (body) => answer(client.PUT('/v1/panel/session/second-factor', { body })),
    onSuccess: (made) => setRecoveryCodes(made.recoveryCodes),
    onError: (problem) => form.setErrors({ code: problem.fieldErrors().code ?? problem.message }),
  })
  if (recoveryCodes) return <ShownRecoveryCodes codes={recoveryCodes} done={done} />
  if (begun.error) return <Alert color="red">{begun.error.message}</Alert>
  if (!begun.data) return <Loader m="auto" />
  const { secret, uri, enrolment } = begun.data
  return (
    <form onSubmit={form.onSubmit(({ code }) => prove.mutate({ enrolment, code: code.replaceAll(/\s/g, '') }))}>
      <Stack>
        <Text size="sm">
          Scan this with an authenticator app, such as Aegis, Google Authenticator or 1Password, and enter the code that
          it shows.
        </Text>
        <QrCode text={uri} label="QR code for an authenticator app" />
        <div>
          <Text size="xs" c="dimmed">
            No camera? Enter this key in the app:
          </Text>
          <CopyField value={secret} label="Key" />
        </div>
        <TextInput
          label="Code"
          description="Six digits"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Group justify="flex-end">
          {cancel && (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={prove.isPending}>
            Turn on
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** They are shown this once. */
export function ShownRecoveryCodes({ codes, done }: { codes: readonly string[]; done: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" variant="light">
        Keep these recovery codes where you find them without your phone. Each lets you sign in once. They are shown
        this once.
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {codes.map((code) => (
          <Code key={code}>{code}</Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Button variant="default" onClick={() => void navigator.clipboard.writeText(codes.join('\n'))}>
          Copy all
        </Button>
        <Button onClick={done}>I have kept them</Button>
      </Group>
    </Stack>
  )
}
