const NEWLINE = 0x0a
const BYTE_ORDER_MARK = '\uFEFF'

/** A line without its line break. `text` is null when the line is over the limit. Numbers count from 1. */
export interface TextLine {
  number: number
  text: string | null
}

/** Cuts a stream of bytes into lines, holding at most one of them. Empty lines are counted and left out. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  options: { lineMaxBytes: number },
): AsyncGenerator<TextLine> {
  let parts: Buffer[] = []
  let bytes = 0
  let number = 0

  function take(part: Buffer): void {
    bytes += part.length
    // The rest of a line that is too long is counted, but not kept.
    if (bytes <= options.lineMaxBytes) parts.push(part)
  }
  function finish(): TextLine | null {
    number++
    const isTooLong = bytes > options.lineMaxBytes
    const text = isTooLong ? null : Buffer.concat(parts).toString('utf8')
    parts = []
    bytes = 0
    if (text === null) return { number, text }
    const content = (number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).trim()
    return content === '' ? null : { number, text: content }
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end))
      start = end + 1
      const line = finish()
      if (line) yield line
    }
    take(chunk.subarray(start))
  }
  const last = bytes > 0 ? finish() : null
  if (last) yield last
}
