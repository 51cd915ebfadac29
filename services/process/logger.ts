import { type DestinationStream, type Logger, pino } from 'pino'

/** Headers with secrets or personal data are never logged. */
const REDACTED = ['req.headers.authorization', 'req.headers.cookie', 'req.headers.cid', 'req.headers.uid']

/** Logs one JSON object per line on standard output. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino({ level, base: null, redact: REDACTED }, destination ?? pino.destination({ dest: 1, sync: false }))
}

/** The logger of a worker thread; its lines name the thread. It writes synchronously, because a thread may end at any time. */
export function workerLogger(level: string, thread: string): Logger {
  return createLogger(level, pino.destination({ dest: 1, sync: true })).child({ thread })
}
