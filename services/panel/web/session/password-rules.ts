import { PASSWORD_CHARS_MIN } from '../../../../schemas/http/panel/limits.ts'
import { t } from '../messages/shell.ts'

export const passwordHint = t('passwordHint', { count: PASSWORD_CHARS_MIN })

/** Checks only the length. The server also refuses passwords that are easy to guess, and says why. */
export const passwordProblem = (password: string): string | null =>
  password.length < PASSWORD_CHARS_MIN ? t('passwordTooShort', { count: PASSWORD_CHARS_MIN }) : null
