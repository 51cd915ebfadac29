const PASSWORD_CHARS_MIN = 10

export const PASSWORD_HINT = `At least ${PASSWORD_CHARS_MIN} characters, and not easy to guess: a few words do well`

/** Checks only the length. The server also refuses passwords that are easy to guess, and says why. */
export const passwordProblem = (password: string): string | null =>
  password.length < PASSWORD_CHARS_MIN ? `At least ${PASSWORD_CHARS_MIN} characters` : null
