/** Kinds of failures, told apart by who can fix them and how. `docs/feeds.md` lists the same table. */
export const FAILURE_CODES = [
  'ACCESS_DENIED',
  'NOT_FOUND',
  'HTTP_ERROR',
  'UNREACHABLE',
  'INTERRUPTED',
  'TOO_SLOW',
  'PRIVATE_ADDRESS',
  'BAD_ADDRESS',
  'WEB_PAGE',
  'NOT_A_FEED',
  'MALFORMED',
  'ENCODING',
  'COMPRESSION',
  'TOO_LARGE',
  'CONTENT_GONE',
  'INTERNAL',
  'REPLACED',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** Thrown when the feed as a whole is refused. The run ends as FAILED with this message, which the feed's owner reads. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure'
  readonly code: FailureCode

  constructor(code: FailureCode, message: string) {
    super(message)
    this.code = code
  }
}
