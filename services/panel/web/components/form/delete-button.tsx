import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx'

export interface DeleteButtonProps extends Pick<ConfirmButtonProps, 'message' | 'onConfirm'> {
  /** The kind of thing: 'account'. */
  what: string
  name: string
}

/** Deletes one thing, after a confirmation that names it. */
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
