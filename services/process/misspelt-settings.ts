import { distance } from 'fastest-levenshtein'

const TYPOS_MAX = 2
/** With two typos, a shorter name may as well be that of another program's setting. */
const LENGTH_OF_TWO_TYPOS_MIN = 8

/**
 * A sentence for each variable of the environment whose name is nearly that of a setting. It would be ignored without a word,
 * and the setting have its default. An environment holds variables of other programs too, so that this is no error.
 * @param names of all settings.
 */
export function misspeltSettings(env: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  const known = new Set(names)
  return Object.keys(env).flatMap((given) => {
    if (known.has(given)) return []
    const meant = nearest(given.toUpperCase(), names)
    return meant === null ? [] : [`${given} is no setting and has no effect: did you mean ${meant}?`]
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
