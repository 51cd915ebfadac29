import { distance } from 'fastest-levenshtein'

const TYPOS_MAX = 2
/** A shorter name that is two typos away may as well be a setting of another program. */
const LENGTH_OF_TWO_TYPOS_MIN = 8

/**
 * A warning for each environment variable whose name is nearly that of a setting. Without a warning, the variable would be
 * ignored silently and the setting would have its default. It is no error, because an environment also holds variables of
 * other programs.
 * @param names the names of all settings.
 */
export function misspeltSettings(env: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  const known = new Set(names)
  return Object.keys(env).flatMap((given) => {
    if (known.has(given)) return []
    const meant = nearest(given.toUpperCase(), names)
    return meant === null ? [] : [`${given} is not a setting and has no effect. Did you mean ${meant}?`]
  })
}

function nearest(given: string, names: readonly string[]): string | null {
  let [found, fewest] = [null as string | null, given.length < LENGTH_OF_TWO_TYPOS_MIN ? 2 : TYPOS_MAX + 1]
  for (const name of names) {
    // Most names differ so much in length that they need not be compared.
    const typos = Math.abs(name.length - given.length) < fewest ? distance(given, name) : fewest
    if (typos < fewest) [found, fewest] = [name, typos]
  }
  return found
}
