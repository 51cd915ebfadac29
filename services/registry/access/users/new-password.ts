import type { User } from '../../../../schemas/records/people.ts'
import { Findings } from '../../resources/findings.ts'
import type { PasswordStrength } from './password-strength.ts'

/** @throws Problem INVALID that says why the password is too weak for this user. */
export async function checkStrength(
  { strength }: { strength: Pick<PasswordStrength, 'weakness'> },
  password: string,
  { email, name }: Pick<User, 'email' | 'name'>,
): Promise<void> {
  const weakness = await strength.weakness(password, [...email.split(/[@.]/), email, ...name.split(/\s+/), name])
  const findings = new Findings()
  findings.check(weakness === null, '/password', `is ${weakness}`)
  findings.raise()
}
