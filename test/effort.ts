/** Set by `make test-long`. */
const isLong = process.env.TEST_LONG === '1'

/**
 * How often a test tries something random: the cases of a property, or the kills of a process. `usual` is enough to find again at
 * once everything found so far; `long` is for `make test-long`, which searches further.
 */
export const tries = <T = number>(usual: T, long: T): T => (isLong ? long : usual)
