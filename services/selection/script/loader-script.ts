import type { FormattedSlot } from '../../../schemas/http/formatted.ts'

/**
 * The answer to one script element. The slot is a JSON literal: no value in it can end the literal, and none is read as
 * code, also where a page writes the script into its HTML.
 * @param loader JavaScript that takes `endcapSlot` from its scope.
 */
export function loaderScript(loader: string, slot: FormattedSlot): string {
  return `(()=>{const endcapSlot=${literal(slot)};${loader}})()\n`
}

/** `<` could end a script element; U+2028 and U+2029 end a line of JavaScript before ES2019. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
