import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { answer, client } from '../../client/client.ts'
import { ConfirmButton } from '../../components/form/confirm-button.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { useSave } from '../../data/use-save.ts'
import { t } from '../../messages/shell.ts'
import { SecondFactorSetup, ShownRecoveryCodes } from '../../session/second-factor/second-factor-setup.tsx'
import { useSession } from '../../session/session.ts'

/** Turns the user's two-step sign-in on and off, and makes new recovery codes. */
export function OwnSecondFactor({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <Dialog opened={isOpen} onClose={close} title={t('twoStepSignIn')} closeOnClickOutside={false}>
      {isOpen && <Content close={close} />}
    </Dialog>
  )
}

function Content({ close }: { close: () => void }) {
  const { user } = useSession()
  const { submit: refresh } = useSave({ save: async () => {}, changes: ['/v1/panel/session', '/v1/panel/users'] })
  const done = () => void refresh(undefined).then(close)
  const turnOff = useSave({
    save: () => answer(client.DELETE('/v1/panel/session/second-factor')),
    changes: ['/v1/panel/session', '/v1/panel/users'],
    saved: t('twoStepOff'),
    onSaved: close,
  })
  return user.hasSecondFactor ? (
    <TurnedOn close={close} turnOff={() => turnOff.submit(undefined)} />
  ) : (
    <SecondFactorSetup done={done} cancel={close} />
  )
}

interface TurnedOnProps {
  close: () => void
  turnOff: () => Promise<unknown>
}

function TurnedOn({ close, turnOff }: TurnedOnProps) {
  const { mayTurnOffSecondFactor } = useSession()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const renew = useSave({
    save: () => answer(client.POST('/v1/panel/session/second-factor/recovery-codes')),
    changes: [],
    onSaved: ({ recoveryCodes }) => setCodes(recoveryCodes),
  })
  if (codes) return <ShownRecoveryCodes codes={codes} done={close} />
  return (
    <Stack>
      <Text size="sm">{t('twoStepIsOn')}</Text>
      <Group justify="space-between">
        <Button variant="default" loading={renew.isSaving} onClick={() => void renew.submit(undefined)}>
          {t('newRecoveryCodes')}
        </Button>
        {mayTurnOffSecondFactor ? (
          <ConfirmButton
            title={t('turnOffTwoStepQuestion')}
            message={t('turnOffTwoStepHelp')}
            confirm={t('turnOff')}
            onConfirm={turnOff}
          >
            {t('turnOff')}
          </ConfirmButton>
        ) : (
          <Text size="xs" c="dimmed">
            {t('twoStepRequired')}
          </Text>
        )}
      </Group>
    </Stack>
  )
}
