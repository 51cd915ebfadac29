const PASSWORD_CHARS_MIN = 10

export const PASSWORD_HINT = `At least ${PASSWORD_CHARS_MIN} characters, and not easy to guess: a few words do well`

/** What is seen at once; the server refuses what is easy to guess, and says why. */
export const passwordProblem = (password: string): string | null =>
  password.length < PASSWORD_CHARS_MIN ? `At least ${PASSWORD_CHARS_MIN} characters` : null
