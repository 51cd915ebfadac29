import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReporter, type ReportedEvent } from '../../../../../../services/selection/script/web/events/reporter.ts'

const URL = 'https://ads.example/v1/ev/batch'
/** The most bytes that a page may send in the background at a time. */
const BACKGROUND_BYTES_MAX = 64 * 1024

let statuses: (number | 'lost')[]
let takesBeacons: boolean
/** How long a request takes. */
let answerMs: number
const sent: { by: 'fetch' | 'beacon'; events: string[]; bytes: number }[] = []
const note = (by: 'fetch' | 'beacon', body: string) => {
  const { events } = JSON.parse(body) as { events: ReportedEvent[] }
  sent.push({ by, events: events.map(({ showId }) => showId), bytes: Buffer.byteLength(body) })
}
const open = () =>
  createReporter({
    url: URL,
    sendBeacon: (_url, body) => {
      if (takesBeacons) note('beacon', body)
      return takesBeacons
    },
    fetch: async (_url, init) => {
      note('fetch', init.body as string)
      const status = statuses.shift() ?? 202
      await new Promise((resolve) => setTimeout(resolve, answerMs))
      if (status === 'lost') throw new TypeError('Failed to fetch')
      return { status, ok: status < 400 }
    },
  })

beforeEach(() => {
  vi.useFakeTimers()
  sent.length = 0
  statuses = []
  takesBeacons = true
  answerMs = 0
})
afterEach(() => vi.useRealTimers())

const view = (showId: string): ReportedEvent => ({ type: 'VIEW', showId })
const told = () => sent.map(({ by, events }) => [by, ...events])
const later = () => vi.advanceTimersByTimeAsync(60_000)

describe('events', () => {
  it('that come together are sent together', async () => {
    const reporter = open()
    reporter.report(view('a'))
    reporter.report(view('b'))
    await later()
    reporter.report(view('c'))
    await later()
    expect(told()).toEqual([
      ['fetch', 'a', 'b'],
      ['fetch', 'c'],
    ])
  })

  it.each([['lost' as const], [503], [429]])('are sent once more after %s, and no more', async (status) => {
    statuses = [status, status]
    open().report(view('a'))
    await later()
    expect(told()).toEqual([
      ['fetch', 'a'],
      ['fetch', 'a'],
    ])
  })

  it('wait three seconds to be sent again, and hold back none that come meanwhile', async () => {
    answerMs = 200
    statuses = [503]
    const reporter = open()
    reporter.report(view('a'))
    await vi.advanceTimersByTimeAsync(600)
    reporter.report(view('b'))
    await vi.advanceTimersByTimeAsync(100)
    reporter.report(view('c'))
    await vi.advanceTimersByTimeAsync(2_900)
    expect(told()).toEqual([
      ['fetch', 'a'],
      ['fetch', 'b', 'c'],
    ])
    reporter.report(view('d'))
    await later()
    expect(told().slice(2)).toEqual([
      ['fetch', 'a'],
      ['fetch', 'd'],
    ])
  })

  it('that will never be taken are not sent again', async () => {
    statuses = [400]
    open().report(view('a'))
    await later()
    expect(told()).toEqual([['fetch', 'a']])
  })

  it('that wait, also to be sent again, go by beacon when the page is left', async () => {
    statuses = ['lost']
    const reporter = open()
    reporter.report(view('a'))
    await vi.advanceTimersByTimeAsync(1_000)
    reporter.report(view('b'))
    reporter.leave()
    await later()
    expect(told()).toEqual([
      ['fetch', 'a'],
      ['beacon', 'a', 'b'],
    ])
  })

  it('are fetched in the background where the browser takes no beacon', async () => {
    takesBeacons = false
    const reporter = open()
    reporter.report({ type: 'CLICK', showId: 'a' })
    reporter.leave()
    await later()
    expect(told()).toEqual([['fetch', 'a']])
  })

  it('of a long page go in parts that the background takes', async () => {
    const showIds = Array.from({ length: 200 }, (_, index) => String(index).padEnd(500, 'x'))
    const reporter = open()
    for (const showId of showIds) reporter.report(view(showId))
    await later()
    expect(sent.flatMap(({ events }) => events)).toEqual(showIds)
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThan(BACKGROUND_BYTES_MAX)
  })
})
