import { isUtf8 } from 'node:buffer'

const ASCII = /^[\0-\x7f]*$/

/**
 * The text of a header. Node decodes headers as Latin-1; bytes that are valid UTF-8 are decoded as UTF-8 instead, so that an
 * id in a header equals the same id in a body.
 */
export function headerText(value: string): string {
  if (ASCII.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
