import { type DestinationStream, type Logger, pino } from 'pino'

/** Headers that carry secrets or persons never reach a log line. */
const REDACTED = ['req.headers.authorization', 'req.headers.cookie', 'req.headers.cid', 'req.headers.uid']

/** One JSON object a line on standard output. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino({ level, base: null, redact: REDACTED }, destination ?? pino.destination({ dest: 1, sync: false }))
}

/** The logger of another thread; its lines name the thread. Written at once, for a thread may end at any time. */
export function workerLogger(level: string, thread: string): Logger {
  return createLogger(level, pino.destination({ dest: 1, sync: true })).child({ thread })
}
