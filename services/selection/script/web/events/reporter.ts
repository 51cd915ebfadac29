export interface ReportedEvent {
  type: 'VIEW' | 'CLICK'
  showId: string
}

export interface ReporterDeps {
  url: string
  /** Returns false when the browser accepts no more data to send in the background. */
  sendBeacon(url: string, body: string): boolean
  fetch(url: string, init: RequestInit): Promise<Pick<Response, 'ok' | 'status'>>
}

/** Views within this time are sent together. */
const GATHER_MS = 500
const RETRY_AFTER_MS = 3_000
/** A showId has about 500 characters, so a request stays well below the 64 KiB that a browser sends in the background. */
const EVENTS_MAX = 60

/**
 * Sends events. A request that fails is repeated once. When the page may go away, the events still waiting are handed to
 * the browser's beacon. Sending an event twice is safe: the server counts an ad's view and its click once.
 */
export function createReporter({ url, sendBeacon, fetch }: ReporterDeps) {
  const waiting: ReportedEvent[] = []
  /** Batches whose first request failed. Each is sent once more, after a while or when the page is left. */
  const failed = new Set<ReportedEvent[]>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const sendAfter = (ms: number) => {
    if (timer === undefined) timer = setTimeout(send, ms)
  }
  async function send(): Promise<void> {
    timer = undefined
    const batch = waiting.splice(0, EVENTS_MAX)
    if (waiting.length > 0) sendAfter(0)
    if (batch.length === 0 || (await arrives(batch))) return
    failed.add(batch)
    setTimeout(() => failed.delete(batch) && void arrives(batch), RETRY_AFTER_MS)
  }
  /** Whether the events need not be sent again: the server has taken them, or will never take them. */
  async function arrives(batch: ReportedEvent[]): Promise<boolean> {
    try {
      // A text body, as a beacon has, needs no CORS preflight.
      const request = { method: 'POST', body: bodyOf(batch), keepalive: true, credentials: 'omit' } as const
      const { ok, status } = await fetch(url, request)
      return ok || (status < 500 && status !== 429)
    } catch {
      return false
    }
  }
  const bodyOf = (events: ReportedEvent[]) => JSON.stringify({ events })

  return {
    report(event: ReportedEvent): void {
      waiting.push(event)
      sendAfter(GATHER_MS)
    },
    /** Sends what waits in a way that survives the end of the page. */
    leave(): void {
      const events = [...failed, waiting.splice(0)].flat()
      failed.clear()
      while (events.length > 0) {
        const batch = events.splice(0, EVENTS_MAX)
        if (!sendBeacon(url, bodyOf(batch))) void arrives(batch)
      }
    },
  }
}
