export interface AdEvent {
  type: 'VIEW' | 'CLICK'
  showId: string
}

export interface ReporterDeps {
  url: string
  /** False: the browser takes no more to send in the background. */
  sendBeacon(url: string, body: string): boolean
  fetch(url: string, init: RequestInit): Promise<Pick<Response, 'ok' | 'status'>>
}

/** Views that come together go together. */
const GATHER_MS = 500
const RETRY_AFTER_MS = 3_000
/** A showId is some 500 characters: a request stays well under the 64 KiB that may be under way in the background. */
const EVENTS_MAX = 60

/**
 * Sends events. While the page is there their arrival is awaited, and what did not arrive is sent once more. What waits
 * when the page may go away is handed to the browser. The server counts an ad's view and its click once, however often
 * they are told.
 */
export function createReporter({ url, sendBeacon, fetch }: ReporterDeps) {
  const waiting: { event: AdEvent; tried: boolean }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const sendAfter = (ms: number) => {
    if (timer === undefined) timer = setTimeout(send, ms)
  }
  async function send(): Promise<void> {
    timer = undefined
    const batch = waiting.splice(0, EVENTS_MAX)
    if (waiting.length > 0) sendAfter(0)
    if (batch.length === 0 || (await arrives(batch))) return
    const again = batch.filter(({ tried }) => !tried).map(({ event }) => ({ event, tried: true }))
    waiting.push(...again)
    if (again.length > 0) sendAfter(RETRY_AFTER_MS)
  }
  /** Whether there is no need to send them again: they were taken, or will never be. */
  async function arrives(batch: typeof waiting): Promise<boolean> {
    try {
      // Text, as a beacon is: the browser then need not ask first whether it may send it.
      const request = { method: 'POST', body: bodyOf(batch), keepalive: true, credentials: 'omit' } as const
      const { ok, status } = await fetch(url, request)
      return ok || (status < 500 && status !== 429)
    } catch {
      return false
    }
  }
  const bodyOf = (batch: typeof waiting) => JSON.stringify({ events: batch.map(({ event }) => event) })

  return {
    report(event: AdEvent): void {
      waiting.push({ event, tried: false })
      sendAfter(GATHER_MS)
    },
    /** Sends what waits, also if this is the page's last moment. */
    leave(): void {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, EVENTS_MAX)
        if (!sendBeacon(url, bodyOf(batch))) void arrives(batch)
      }
    },
  }
}
