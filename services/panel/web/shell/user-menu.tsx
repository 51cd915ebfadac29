import {
  Avatar,
  Button,
  Checkbox,
  Group,
  Menu,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { IconDevicesOff, IconKey, IconLogout, IconShieldLock } from '@tabler/icons-react'
import { useState } from 'react'
import { signOut, useSession } from '../session/session.ts'
import { OwnPassword } from './own-password.tsx'
import { OwnSecondFactor } from './own-second-factor.tsx'

/** The menu of the user: colour scheme, password, two-step sign-in, and signing out. */
export function UserMenu() {
  const { user, account } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [isChanging, setChanging] = useState(false)
  const [isSecuring, setSecuring] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  return (
    <>
      <Menu position="bottom-end" width={260} shadow="md">
        <Menu.Target>
          <UnstyledButton>
            <Avatar name={user.name} size={34} color="indigo" aria-hidden />
            <VisuallyHidden>Menu of {user.name}</VisuallyHidden>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <div style={{ padding: '6px 12px 10px' }}>
            <Text size="sm" fw={600} truncate>
              {user.name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {user.email}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {account?.name ?? 'Operator'}
            </Text>
          </div>
          <div style={{ padding: '0 12px 10px' }}>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-label="Colour scheme"
              value={colorScheme}
              onChange={(value) => setColorScheme(value as typeof colorScheme)}
              data={[
                { value: 'auto', label: 'Auto' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
            />
          </div>
          <Menu.Divider />
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => setChanging(true)}>
            Change password
          </Menu.Item>
          <Menu.Item leftSection={<IconShieldLock size={16} aria-hidden />} onClick={() => setSecuring(true)}>
            Two-step sign-in
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
            Sign out
          </Menu.Item>
          <Menu.Item leftSection={<IconDevicesOff size={16} aria-hidden />} onClick={() => setLeaving(true)}>
            Sign out everywhere
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <OwnPassword isOpen={isChanging} close={() => setChanging(false)} />
      <OwnSecondFactor isOpen={isSecuring} close={() => setSecuring(false)} />
      <SignOutEverywhere isOpen={isLeaving} close={() => setLeaving(false)} />
    </>
  )
}

/** Ends all sessions of the user and, by choice, revokes the tokens that the user has made. */
function SignOutEverywhere({ isOpen, close }: { isOpen: boolean; close: () => void }) {
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
