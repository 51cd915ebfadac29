import type { Tally } from './shopper.ts'

const TIMEOUT_MS = 5_000

/** What a server has used and answered since it started. */
interface Used {
  cpuSeconds: number
  requests: number
}

/**
 * Measures the processor time that a server uses from now on, by its metrics.
 * @param metricsUrl null when the server has none.
 * @returns a function that tells the seconds so far. Null when the metrics cannot be read, or are those of another server: of one that has
 * answered fewer requests than were sent.
 */
export async function startServerCpu(metricsUrl: string | null): Promise<(requests: number) => Promise<number | null>> {
  const read = async () => (metricsUrl === null ? null : readUsed(metricsUrl).catch(() => null))
  const before = await read()
  return async (requests) => {
    const after = await read()
    if (!before || !after || after.requests - before.requests < requests) return null
    return after.cpuSeconds - before.cpuSeconds
  }
}

async function readUsed(metricsUrl: string): Promise<Used> {
  const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const lines = (await answer.text()).split('\n')
  const sumOf = (metric: RegExp) =>
    lines.filter((line) => metric.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  return {
    cpuSeconds: sumOf(/^process_cpu_seconds_total /),
    requests: sumOf(/^endcap_http_request_duration_seconds_count\{/),
  }
}

/** The processor time, and what each request, and each ad request and event, took of it: by this, machines can be compared. */
export function cpuText(
  cpuSeconds: number,
  { requests, latencies, pageViews, views, clicks, carts, purchases }: Tally,
): string {
  const events = pageViews + views + clicks + carts + purchases
  const msEach = (count: number) => `${((1_000 * cpuSeconds) / Math.max(count, 1)).toFixed(2)} ms`
  return `${cpuSeconds.toFixed(1)} s: ${msEach(requests)} a request, ${msEach(latencies.length + events)} an ad request or event`
}
