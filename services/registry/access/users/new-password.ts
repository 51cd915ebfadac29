import type { User } from '../../../../schemas/records/accounts.ts'
import { FieldErrors } from '../../resources/field-errors.ts'
import type { PasswordStrength } from './password-strength.ts'

/** @throws Problem INVALID that says why the password is too weak for this user. */
export async function checkStrength(
  { strength }: { strength: Pick<PasswordStrength, 'weakness'> },
  password: string,
  { email, name }: Pick<User, 'email' | 'name'>,
): Promise<void> {
  const weakness = await strength.weakness(password, [...email.split(/[@.]/), email, ...name.split(/\s+/), name])
  const fieldErrors = new FieldErrors()
  fieldErrors.check(weakness === null, '/password', `is ${weakness}`)
  fieldErrors.throwIfAny()
}
