import { connectionMeaning } from '../engine-unavailable.ts'
import { AnalyticsFenced, AnalyticsGaveUp, AnalyticsRejected, AnalyticsUnavailable } from './port.ts'

/** ClickHouse error codes after which the same call may work later: load, limits, connections, tables not made yet. */
const PASSING_CODES = new Set([
  3, // UNEXPECTED_END_OF_FILE: a proxy cut the request off; the rows that we send are complete
  33, // CANNOT_READ_ALL_DATA
  60, // UNKNOWN_TABLE: migrations or a rebuild are under way
  74, // CANNOT_READ_FROM_FILE_DESCRIPTOR
  75, // CANNOT_WRITE_TO_FILE_DESCRIPTOR
  76, // CANNOT_OPEN_FILE
  77, // CANNOT_CLOSE_FILE
  81, // UNKNOWN_DATABASE
  159, // TIMEOUT_EXCEEDED
  160, // TOO_SLOW
  173, // CANNOT_ALLOCATE_MEMORY
  192, // UNKNOWN_USER, like all errors of accounts here: the rows are not at fault when an account is set up wrongly
  193, // WRONG_PASSWORD
  194, // REQUIRED_PASSWORD
  198, // DNS_ERROR
  201, // QUOTA_EXCEEDED
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  203, // NO_FREE_CONNECTION
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  225, // NO_ZOOKEEPER
  236, // ABORTED
  241, // MEMORY_LIMIT_EXCEEDED
  242, // TABLE_IS_READ_ONLY
  243, // NOT_ENOUGH_SPACE
  252, // TOO_MANY_PARTS
  279, // ALL_CONNECTION_TRIES_FAILED
  285, // TOO_FEW_LIVE_REPLICAS
  319, // UNKNOWN_STATUS_OF_INSERT
  394, // QUERY_WAS_CANCELLED
  425, // SYSTEM_ERROR
  439, // CANNOT_SCHEDULE_TASK
  473, // DEADLOCK_AVOIDED
  497, // ACCESS_DENIED
  516, // AUTHENTICATION_FAILED
  999, // KEEPER_EXCEPTION
  1000, // POCO_EXCEPTION: files and network
  1001, // STD_EXCEPTION
  1002, // UNKNOWN_EXCEPTION
])
/** Calls of the operating system that failed, such as for want of disk space or open files. They are never the fault of a statement. */
const SYSTEM_CALL_CODES = new Set([
  87, // CANNOT_SEEK_THROUGH_FILE
  88, // CANNOT_TRUNCATE_FILE
  95, // CANNOT_READ_FROM_SOCKET
  96, // CANNOT_WRITE_TO_SOCKET
  172, // CANNOT_CREATE_DIRECTORY
  204, // CANNOT_FSYNC
  214, // CANNOT_STATVFS
  240, // CANNOT_MREMAP
  272, // CANNOT_IO_SUBMIT
  273, // CANNOT_IO_GETEVENTS
  294, // CANNOT_WRITE_TO_FILE
  298, // CANNOT_PIPE
  400, // CANNOT_STAT
  402, // CANNOT_IOSETUP
  411, // PTHREAD_ERROR
  424, // CANNOT_LINK
  458, // CANNOT_UNLINK
  460, // CANNOT_CREATE_TIMER
  461, // CANNOT_SET_TIMER_PERIOD
  463, // CANNOT_FCNTL
  531, // CANNOT_FSTAT
  566, // CANNOT_RMDIR
  573, // EPOLL_ERROR
  586, // CANNOT_CREATE_FILE
  635, // CANNOT_POLL
  641, // CANNOT_APPEND_TO_FILE
])
/** TIMEOUT_EXCEEDED, TOO_SLOW, MEMORY_LIMIT_EXCEEDED: the statement itself may be too large. */
const GIVEN_UP_CODES = new Set([159, 160, 241])
/** FUNCTION_THROW_IF_VALUE_IS_NON_ZERO: a statement has found that it must not store anything. Its message says why. */
const REFUSED_BY_STATEMENT_CODE = 395
/** In the message of an insert that an earlier epoch has tried. */
export const FENCED = 'fenced by a later epoch'
/** In the message of a fenced insert that failed because its scope is paused. */
export const PAUSED = 'inserts are paused'
export const PAUSED_MESSAGE = 'A table is being replaced: for some seconds nothing is stored in it'
const CODE = /Code: (\d+)/

/**
 * Classifies an engine's error by what the caller can do about it. The HTTP client reports the error code in a field, the embedded
 * engine in the message (`Code: 60. DB::Exception: …`). An error without a code comes from the connection to the engine.
 */
export function analyticsError(error: unknown): AnalyticsRejected | AnalyticsUnavailable | AnalyticsFenced {
  if (error instanceof AnalyticsRejected || error instanceof AnalyticsUnavailable || error instanceof AnalyticsFenced) {
    return error
  }
  const message = error instanceof Error ? error.message : String(error)
  const code = fieldCodeOf(error) ?? message.match(CODE)?.[1]
  if (Number(code) === REFUSED_BY_STATEMENT_CODE) return refusedByStatement(message)
  if (GIVEN_UP_CODES.has(Number(code))) return new AnalyticsGaveUp(message)
  if (code === undefined) return new AnalyticsUnavailable(connectionMeaning(message, 'ClickHouse', 'CLICKHOUSE_URL'))
  const isPassing = PASSING_CODES.has(Number(code)) || SYSTEM_CALL_CODES.has(Number(code))
  return isPassing ? new AnalyticsUnavailable(message) : new AnalyticsRejected(message)
}

/** A count that lacks some of its rows, or finds a later count, is retried like any call during an outage. */
function refusedByStatement(message: string): AnalyticsUnavailable | AnalyticsFenced {
  // The message about a pause names the condition of the fence, too.
  if (message.includes(PAUSED)) return new AnalyticsUnavailable(PAUSED_MESSAGE)
  if (message.includes(FENCED)) return new AnalyticsFenced('A later epoch of a scope has been raised')
  return new AnalyticsUnavailable(message)
}

/** Codes of connection errors are words, such as ECONNREFUSED, and are not returned. */
function fieldCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^\d+$/.test(code) ? code : undefined
}
