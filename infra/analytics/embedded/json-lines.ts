/** Pieces of text are turned into bytes at about this length, well under what one string can hold. */
const PIECE_CHARS = 1_000_000
/** No UTF-16 unit takes more bytes than this in UTF-8. */
const BYTES_PER_CHAR_MAX = 3

/** Rows as ClickHouse's JSONEachRow, in memory of their own that can move to another thread. */
export function jsonLinesOf(rows: readonly object[]): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(PIECE_CHARS)
  let length = 0
  let piece = ''
  const encoder = new TextEncoder()
  const flush = () => {
    if (length + piece.length * BYTES_PER_CHAR_MAX > bytes.length) {
      const larger = new Uint8Array((length + piece.length * BYTES_PER_CHAR_MAX) * 2)
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    length += encoder.encodeInto(piece, bytes.subarray(length)).written
    piece = ''
  }
  for (const row of rows) {
    piece += `${JSON.stringify(row)}\n`
    if (piece.length > PIECE_CHARS) flush()
  }
  flush()
  return bytes.subarray(0, length)
}

/** Rows of a JSONEachRow answer. */
export function rowsOf<Row>(lines: Uint8Array): Row[] {
  const text = new TextDecoder().decode(lines).trimEnd()
  return text === '' ? [] : JSON.parse(`[${text.replaceAll('\n', ',')}]`)
}
