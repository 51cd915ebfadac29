import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'

/** What the observer tells of an element. */
type Tell = (entries: { target: object; intersectionRatio: number }[]) => void

let tell: Tell
let onceSeen: (element: object, callback: () => void) => void
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const show = (state: 'visible' | 'hidden') => {
  page.visibilityState = state
  page.dispatchEvent(new Event('visibilitychange'))
}

beforeAll(async () => {
  vi.stubGlobal('document', page)
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(told: Tell) {
        tell = told
      }
      observe() {}
      unobserve() {}
    },
  )
  const seen: string = '../../../services/demo/shop/web/seen.js'
  onceSeen = (await import(seen)).onceSeen
})
beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})
afterAll(() => vi.unstubAllGlobals())

function visibleAd() {
  const ad = {}
  const onSeen = vi.fn()
  onceSeen(ad, onSeen)
  tell([{ target: ad, intersectionRatio: 0.6 }])
  return { ad, onSeen }
}

it('reports an ad once that was half visible for a second', () => {
  const { ad, onSeen } = visibleAd()
  vi.advanceTimersByTime(999)
  expect(onSeen).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  tell([{ target: ad, intersectionRatio: 0.4 }])
  vi.advanceTimersByTime(5_000)
  expect(onSeen).toHaveBeenCalledTimes(1)
})

it('reports no ad that was scrolled past', () => {
  const { ad, onSeen } = visibleAd()
  vi.advanceTimersByTime(500)
  tell([{ target: ad, intersectionRatio: 0 }])
  vi.advanceTimersByTime(5_000)
  expect(onSeen).not.toHaveBeenCalled()
})

it('starts the second anew when the shopper returns from another tab', () => {
  const { onSeen } = visibleAd()
  vi.advanceTimersByTime(500)
  show('hidden')
  vi.advanceTimersByTime(5_000)
  expect(onSeen).not.toHaveBeenCalled()
  show('visible')
  vi.advanceTimersByTime(999)
  expect(onSeen).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onSeen).toHaveBeenCalledTimes(1)
})

it('makes UUIDs of version 4 on a page without https', async () => {
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => bytes.map((_, at) => 0xf0 + at) })
  const own: string = '../../../services/demo/shop/web/uuid.js'
  expect((await import(own)).uuid()).toBe('f0f1f2f3-f4f5-46f7-b8f9-fafbfcfdfeff')
})
