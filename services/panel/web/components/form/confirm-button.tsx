import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { t } from '../../messages/components.ts'

export interface ConfirmButtonProps extends ButtonProps {
  children: ReactNode
  /** The question: 'Delete the account Solvik?' */
  title: string
  /** What the action means for the user. */
  message: ReactNode
  /** The label of the confirming button: 'Delete'. */
  confirm: string
  /** The dialog stays open until the promise resolves. */
  onConfirm: () => Promise<unknown>
}

/** A button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({ children, title, message, confirm, onConfirm, ...props }: ConfirmButtonProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    await onConfirm().finally(() => setBusy(false))
    close()
  }
  return (
    <>
      <Button variant="default" {...props} onClick={open}>
        {children}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered>
        <Text size="sm">{message}</Text>
        <Group justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {t('cancel')}
          </Button>
          <Button color={props.color ?? 'red'} loading={isBusy} onClick={() => void run()}>
            {confirm}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
