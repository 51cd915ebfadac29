import { Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { registerForm } from '../../data/unsaved.ts'
import { t } from '../../messages/components.ts'
import { Dialog } from './dialog.tsx'
import { DialogActions } from './dialog-actions.tsx'

/**
 * Asks for confirmation before the user leaves a form with unsaved changes by a link, by the browser's buttons, or by closing the
 * page. `hasChanges` is called at that moment.
 */
export function UnsavedGuard({ hasChanges }: { hasChanges: () => boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && hasChanges(),
  )
  useEffect(() => registerForm(hasChanges), [hasChanges])
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (hasChanges()) event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [hasChanges])

  return (
    <Dialog opened={blocker.state === 'blocked'} onClose={() => blocker.reset?.()} title={t('leaveQuestion')} centered>
      <Stack>
        <Text size="sm">{t('leaveHelp')}</Text>
        <DialogActions
          label={t('leave')}
          color="red"
          cancel={t('stay')}
          close={() => blocker.reset?.()}
          confirm={() => blocker.proceed?.()}
        />
      </Stack>
    </Dialog>
  )
}
