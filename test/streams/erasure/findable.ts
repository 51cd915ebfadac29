import { randomBytes } from 'node:crypto'

/**
 * Random texts with these beginnings that can be found in compressed files: no four characters occur twice in them. LZ4 would store the
 * second time as a reference to the first, and the text would not stand in the file as a whole.
 */
export function findableTexts(...beginnings: readonly string[]): string[] {
  for (;;) {
    const texts = beginnings.map((beginning) => `${beginning}-${randomBytes(15).toString('base64url')}`)
    const fours = texts.flatMap((text) => Array.from({ length: text.length - 3 }, (_, at) => text.slice(at, at + 4)))
    if (new Set(fours).size === fours.length) return texts
  }
}
