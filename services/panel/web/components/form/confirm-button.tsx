import { Button, type ButtonProps, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { DialogActions } from './dialog-actions.tsx'

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
      <Dialog opened={isOpen} onClose={close} title={title} centered>
        <Stack>
          <Text size="sm" component="div">
            {message}
          </Text>
          <DialogActions
            label={confirm}
            isSaving={isBusy}
            close={close}
            confirm={() => void run()}
            color={props.color === undefined || props.color === 'red' ? 'red' : undefined}
          />
        </Stack>
      </Dialog>
    </>
  )
}
