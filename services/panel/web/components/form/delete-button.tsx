import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx'

export interface DeleteButtonProps extends Pick<ConfirmButtonProps, 'message' | 'onConfirm'> {
  /** What it is: 'account'. */
  what: string
  name: string
}

/** Asks whether one thing shall be deleted, by its name, and deletes it. */
export function DeleteButton({ what, name, ...rest }: DeleteButtonProps) {
  return (
    <ConfirmButton
      variant="subtle"
      color="red"
      title={`Delete the ${what} ${name}?`}
      confirm={`Delete ${what}`}
      {...rest}
    >
      Delete {what}
    </ConfirmButton>
  )
}
