import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { signOut } from '../session/session.ts'

/** Ends all sessions of the user and, unless that is not wanted, the tokens that the user has made. */
export function SignOutEverywhere({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const [tokens, setTokens] = useState(true)
  const [isBusy, setBusy] = useState(false)
  const run = () => {
    setBusy(true)
    void signOut({ everywhere: true, tokens }).finally(() => setBusy(false))
  }
  return (
    <Modal opened={isOpen} onClose={close} title="Sign out everywhere?">
      <Stack>
        <Text size="sm">You are signed out at once on every device, this one too.</Text>
        <Checkbox
          label="Revoke the API tokens that I have made"
          description="Programs that use them are refused from now on. Choose it when somebody may have used your session."
          checked={tokens}
          onChange={({ currentTarget }) => setTokens(currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red.9" loading={isBusy} onClick={run}>
            Sign out everywhere
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
