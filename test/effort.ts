/** Set by `make test-long`. */
const isLong = process.env.TEST_LONG === '1'

/**
 * How often a test tries what it leaves to chance: the cases of a property, the kills of a process. `usual` is enough to find
 * at once whatever has ever been found; `long` is for `make test-long`, which looks further.
 */
export const tries = <T = number>(usual: T, long: T): T => (isLong ? long : usual)
