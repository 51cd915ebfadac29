import { t } from '../../messages/components.ts'
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
      title={t('deleteQuestion', { what, name })}
      confirm={t('deleteWhat', { what })}
      {...rest}
    >
      {t('deleteWhat', { what })}
    </ConfirmButton>
  )
}
