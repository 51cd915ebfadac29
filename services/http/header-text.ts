import { isUtf8 } from 'node:buffer'

const ASCII = /^[\0-\x7f]*$/

/**
 * The text of a header. Node gives its bytes as Latin-1; those that are UTF-8 are read as such, so that a person whose id a
 * header brings is the same as in a body.
 */
export function headerText(value: string): string {
  if (ASCII.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
