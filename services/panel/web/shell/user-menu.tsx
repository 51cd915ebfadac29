import { Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { IconDevicesOff, IconKey, IconLogout, IconShieldLock } from '@tabler/icons-react'
import { useState } from 'react'
import { useChunk } from '../components/loading/use-chunk.ts'
import { t } from '../messages/shell.ts'
import { signOut, useSession } from '../session/session.ts'
import type { OwnDialog } from './own/own-dialogs.tsx'
import classes from './shell.module.css'

/** The dialogs' code is loaded when the menu is first opened. */
const loadDialogs = () => import('./own/own-dialogs.tsx')

/** The menu of the user: colour scheme, password, two-step sign-in, and signing out. */
export function UserMenu() {
  const { user, account } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [isUsed, setUsed] = useState(false)
  const [dialog, setDialog] = useState<OwnDialog | null>(null)
  const { Component: OwnDialogs } = useChunk(loadDialogs, isUsed)
  return (
    <>
      <Menu position="bottom-end" width={260} shadow="md" onOpen={() => setUsed(true)}>
        <Menu.Target>
          <UnstyledButton>
            <span className={classes.initials} aria-hidden>
              {initialsOf(user.name)}
            </span>
            <VisuallyHidden>{t('menuOf', { name: user.name })}</VisuallyHidden>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown aria-label={t('menuOf', { name: user.name })}>
          <Menu.Label>
            <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
              {user.name}
            </Text>
            <Text size="xs" truncate>
              {user.email}
            </Text>
            <Text size="xs" truncate>
              {account?.name ?? t('operator')}
            </Text>
          </Menu.Label>
          <Menu.Divider />
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => setDialog('PASSWORD')}>
            {t('changePassword')}
          </Menu.Item>
          <Menu.Item leftSection={<IconShieldLock size={16} aria-hidden />} onClick={() => setDialog('SECOND_FACTOR')}>
            {t('twoStepSignIn')}
          </Menu.Item>
          <Menu.Divider />
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu */}
          <div role="group" aria-label={t('colourScheme')}>
            <Menu.Label aria-hidden>{t('colourScheme')}</Menu.Label>
            <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as typeof colorScheme)}>
              <Menu.RadioItem value="auto">{t('schemeAuto')}</Menu.RadioItem>
              <Menu.RadioItem value="light">{t('schemeLight')}</Menu.RadioItem>
              <Menu.RadioItem value="dark">{t('schemeDark')}</Menu.RadioItem>
            </Menu.RadioGroup>
          </div>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
            {t('signOut')}
          </Menu.Item>
          <Menu.Item leftSection={<IconDevicesOff size={16} aria-hidden />} onClick={() => setDialog('SIGN_OUT')}>
            {t('signOutEverywhere')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {OwnDialogs && <OwnDialogs shown={dialog} close={() => setDialog(null)} />}
    </>
  )
}

/** The first letters of the first and the last word: AL for Ada King Lovelace. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}
