import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../../components/form/dialog.tsx'
import { DialogActions } from '../../components/form/dialog-actions.tsx'
import { t } from '../../messages/shell.ts'
import { signOut } from '../../session/session.ts'
import { OwnPassword } from './own-password.tsx'
import { OwnSecondFactor } from './own-second-factor.tsx'

export type OwnDialog = 'PASSWORD' | 'SECOND_FACTOR' | 'SIGN_OUT'

/** The dialogs of the user menu. */
export default function OwnDialogs({ shown, close }: { shown: OwnDialog | null; close: () => void }) {
  return (
    <>
      <OwnPassword isOpen={shown === 'PASSWORD'} close={close} />
      <OwnSecondFactor isOpen={shown === 'SECOND_FACTOR'} close={close} />
      <SignOutEverywhere isOpen={shown === 'SIGN_OUT'} close={close} />
    </>
  )
}

/** Ends all sessions of the user and, if wanted, revokes the tokens that the user has made. */
function SignOutEverywhere({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const [tokens, setTokens] = useState(true)
  const [isBusy, setBusy] = useState(false)
  const run = () => {
    setBusy(true)
    void signOut({ everywhere: true, tokens }).finally(() => setBusy(false))
  }
  return (
    <Dialog opened={isOpen} onClose={close} title={t('signOutEverywhereQuestion')}>
      <Stack>
        <Text size="sm">{t('signOutEverywhereHelp')}</Text>
        <Checkbox
          label={t('revokeOwnTokens')}
          description={t('revokeOwnTokensHelp')}
          checked={tokens}
          onChange={({ currentTarget }) => setTokens(currentTarget.checked)}
        />
        <DialogActions label={t('signOutEverywhere')} isSaving={isBusy} close={close} confirm={run} color="red" />
      </Stack>
    </Dialog>
  )
}
