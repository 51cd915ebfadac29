import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'
import { askForAds } from './ads.ts'
import type { ShownAd } from './block/block.ts'
import { clientId } from './client-id.ts'
import { createReporter } from './events/reporter.ts'
import { watchViews } from './events/views.ts'
import { createFilling } from './filling.ts'
import { createSlots } from './slots.ts'

const MIDDLE_BUTTON = 1

function start(base: string, before: Iterable<FormattedSlot>): void {
  const cid = clientId()
  const reporter = createReporter({
    url: `${base}/v1/ev/batch`,
    sendBeacon: (url, body) => navigator.sendBeacon(url, body),
    fetch: (url, init) => fetch(url, init),
  })
  const watchView = watchViews()
  addEventListener('pagehide', reporter.leave)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && reporter.leave())

  const onShown = ({ ad: { showId }, link }: ShownAd) => {
    watchView(link, () => reporter.report({ type: 'VIEW', showId }))
    const onClick = (event: MouseEvent) => {
      // Ignores the right button, which opens a menu, and clicks made by a script of the page.
      if (!event.isTrusted || (event.type === 'auxclick' && event.button !== MIDDLE_BUTTON)) return
      for (const type of ['click', 'auxclick'] as const) link.removeEventListener(type, onClick)
      reporter.report({ type: 'CLICK', showId })
      reporter.leave()
    }
    for (const type of ['click', 'auxclick'] as const) link.addEventListener(type, onClick)
  }

  let registered = 0
  const loaders = `${base}/v1/dsa/formatted/`
  const morePending = () => [...document.scripts].filter(({ src }) => src.startsWith(loaders)).length > registered
  const fill = createFilling({ slots: () => slots, ask: (list) => askForAds(base, cid, list), morePending, onShown })
  const slots = createSlots(fill)
  const push = (slot: FormattedSlot) => {
    registered += 1
    slots.register(slot)
  }
  window.endcap = { slots: { push }, rescan: slots.rescan, cid }
  for (const slot of before) push(slot)
}

const { src } = document.currentScript as HTMLScriptElement

function begin(): void {
  const slots = window.endcap?.slots
  // The library may be loaded twice: by the page itself and by the script elements.
  if (!window.endcap?.cid) start(src.split('/v1/dsa/script.js')[0]!, Array.isArray(slots) ? slots : [])
}
// A prerendered page may never be seen: wait until it is shown before requesting ads.
if (document.prerendering) document.addEventListener('prerenderingchange', begin, { once: true })
else begin()
