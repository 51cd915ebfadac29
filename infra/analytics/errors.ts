import { AnalyticsRejected, AnalyticsUnavailable } from './port.ts'

/** ClickHouse error codes after which the same call may work later: load, limits, connections, tables not made yet. */
const PASSING_CODES = new Set([
  60, // UNKNOWN_TABLE: migrations or a rebuild are under way
  81, // UNKNOWN_DATABASE
  159, // TIMEOUT_EXCEEDED
  160, // TOO_SLOW
  173, // CANNOT_ALLOCATE_MEMORY
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  203, // NO_FREE_CONNECTION
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  236, // ABORTED
  241, // MEMORY_LIMIT_EXCEEDED
  242, // TABLE_IS_READ_ONLY
  243, // NOT_ENOUGH_SPACE
  252, // TOO_MANY_PARTS
  279, // ALL_CONNECTION_TRIES_FAILED
  319, // UNKNOWN_STATUS_OF_INSERT
  394, // QUERY_WAS_CANCELLED
  999, // KEEPER_EXCEPTION
])
const CODE = /Code: (\d+)/

/** What the caller can do about an engine's error: it names its code (`Code: 60. DB::Exception: …`) in the message. */
export function analyticsError(error: unknown): AnalyticsRejected | AnalyticsUnavailable {
  if (error instanceof AnalyticsRejected) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = message.match(CODE)?.[1]
  return code === undefined || PASSING_CODES.has(Number(code))
    ? new AnalyticsUnavailable(message)
    : new AnalyticsRejected(message)
}
