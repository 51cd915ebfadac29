import { createConnection } from './connection-state.ts'

const ASK_TIMEOUT_MS = 5_000
/** The statuses that a proxy answers while the program behind it is away. */
const GATEWAY_STATUSES = new Set([502, 504])

/** Whether the answer comes from a proxy in front of Endcap because Endcap itself does not answer. */
export function isOfGateway({ status, headers }: Response): boolean {
  return GATEWAY_STATUSES.has(status) || (status === 503 && !headers.get('content-type')?.includes('json'))
}

/** The connection of this page. */
export const connection = createConnection({
  ask: () =>
    fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(ASK_TIMEOUT_MS) }).then(
      (response) => !isOfGateway(response),
      () => false,
    ),
  isVisible: () => document.visibilityState === 'visible',
})

/** Asks the server at once when the browser reports a change. */
export function watchConnection(): void {
  const check = () => void connection.check()
  addEventListener('online', check)
  addEventListener('offline', check)
  addEventListener('visibilitychange', () => {
    if (connection.isAway() && document.visibilityState === 'visible') check()
  })
}
