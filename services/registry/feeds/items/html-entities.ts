import { characterEntities } from 'character-entities'

/**
 * The named character references of HTML (the HTML standard, section 13.5), by name. Feeds use them in their XML and in the
 * HTML of their texts. The object has no prototype, so that `&toString;` is not found.
 */
export const htmlEntities: Readonly<Record<string, string>> = Object.freeze(
  Object.assign(Object.create(null), characterEntities),
)
