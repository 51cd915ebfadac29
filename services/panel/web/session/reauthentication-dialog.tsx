import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { answer, client } from '../client/client.ts'
import type { ApiProblem } from '../client/problem.ts'
import { askWith } from '../client/reauthentication.ts'
import type { Session } from '../client/types.ts'
import { useSession } from './session.ts'

/** Asks for the password or a code when the API answers REAUTHENTICATION_REQUIRED. One dialog serves all requests that wait. */
export function ReauthenticationDialog() {
  const [isOpen, setOpen] = useState(false)
  const waiting = useRef<((proved: boolean) => void)[]>([])
  useEffect(
    () =>
      askWith(() => {
        setOpen(true)
        return new Promise((resolve) => waiting.current.push(resolve))
      }),
    [],
  )
  const finish = (proved: boolean) => {
    setOpen(false)
    for (const resolve of waiting.current.splice(0)) resolve(proved)
  }
  return (
    <Modal opened={isOpen} onClose={() => finish(false)} title="Is it still you?" zIndex={400}>
      {isOpen && <ReauthenticationForm finish={finish} />}
    </Modal>
  )
}

function ReauthenticationForm({ finish }: { finish: (proved: boolean) => void }) {
  const { hasSecondFactor } = useSession().user
  const form = useForm({ initialValues: { proof: '' } })
  const name = hasSecondFactor ? 'code' : 'password'
  const prove = useMutation<Session, ApiProblem, typeof form.values>({
    mutationFn: ({ proof }) => answer(client.POST('/v1/panel/session/reauthentication', { body: { [name]: proof } })),
    onSuccess: () => finish(true),
    onError(problem) {
      form.setErrors({ proof: problem.fieldErrors()[name] ?? problem.message })
      form.getInputNode('proof')?.focus()
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => prove.mutate(values))}>
      <Stack>
        <Text size="sm">
          This changes who can sign in or act for you. Enter {hasSecondFactor ? 'a code' : 'your password'} to go on.
        </Text>
        {hasSecondFactor ? (
          <TextInput
            label="Code"
            description="From your authenticator app, or a recovery code"
            autoComplete="one-time-code"
            required
            data-autofocus
            {...form.getInputProps('proof')}
          />
        ) : (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            data-autofocus
            {...form.getInputProps('proof')}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => finish(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={prove.isPending}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
