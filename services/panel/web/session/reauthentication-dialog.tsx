import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { answer, client } from '../client/client.ts'
import type { ApiProblem } from '../client/problem.ts'
import { askWith } from '../client/reauthentication.ts'
import type { Session } from '../client/types.ts'

/** Asks for the password when the API wants to know again who is there, for all requests that wait for it. */
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
  const form = useForm({ initialValues: { password: '' } })
  const prove = useMutation<Session, ApiProblem, typeof form.values>({
    mutationFn: (body) => answer(client.POST('/v1/panel/session/reauthentication', { body })),
    onSuccess: () => finish(true),
    onError(problem) {
      const errors = problem.fieldErrors()
      form.setErrors(Object.keys(errors).length > 0 ? errors : { password: problem.message })
      form.getInputNode('password')?.focus()
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => prove.mutate(values))}>
      <Stack>
        <Text size="sm">This changes who can sign in or act for you. Enter your password to go on.</Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps('password')}
        />
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
