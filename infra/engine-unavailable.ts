/** Thrown by every port when its engine cannot answer now; the same call may work later. */
export abstract class EngineUnavailable extends Error {}

const NO_TLS = /wrong version number|packet length too long/
const CLOSED = /socket hang up|other side closed|read ECONNRESET|write EPIPE/
/** The client throws the whole answer of a server that it does not know. */
const BODY = /^\s*[<{]/
const MESSAGE_MAX_CHARACTERS = 200

/**
 * An error of a connection in words that name the setting to look at, where there is one. Text of another server is cut short.
 * @param engine what should be at the address: "ClickHouse".
 * @param setting the setting with the address.
 */
export function connectionMeaning(message: string, engine: string, setting: string): string {
  if (NO_TLS.test(message)) return `the server does not speak TLS on this port: check ${setting}`
  const short = message.length > MESSAGE_MAX_CHARACTERS ? `${message.slice(0, MESSAGE_MAX_CHARACTERS)}…` : message
  if (CLOSED.test(message)) {
    return `the server has closed the connection; if it always does, it expects TLS or is not ${engine}: check ${setting}`
  }
  if (BODY.test(message)) return `the server is not ${engine}: check ${setting}. It answers: ${short}`
  return short
}

/** SQLITE_BUSY, LOCKED, NOMEM, IOERR, FULL and CANTOPEN. Their extended codes have other bits above these. */
const SQLITE_CODES_THAT_PASS = new Set([5, 6, 7, 10, 13, 14])
const SQLITE_PRIMARY_CODE = 0xff

/**
 * What callers of an embedded engine are told when SQLite could not write. Another user of the file, a failing or full disk, and a lack of memory or
 * of open files pass, so that the engine is unavailable. Any other error comes again with every try, and is thrown as it is.
 * @param engine the subject of the message: "The counters".
 */
export function notWritten(
  error: Error & { errcode?: number },
  engine: string,
  Unavailable: new (message: string) => EngineUnavailable,
): Error {
  const passes = SQLITE_CODES_THAT_PASS.has((error.errcode ?? 0) & SQLITE_PRIMARY_CODE)
  return passes ? new Unavailable(`${engine} could not be written: ${error.message}`) : error
}
