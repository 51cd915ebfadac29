import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'
import { type Block, openBlock } from './block.ts'

/** A script element's slot in its element of the page. */
export interface Place {
  slot: FormattedSlot
  host: HTMLElement | null
  block: Block | null
  /** Feed ids of the products that it shows. */
  shown: string[]
}

/** An element that does not come within this time after the page was read is only found by `rescan`. */
const ELEMENT_WAIT_MS = 10_000

/** Finds the elements of the slots, now or when they come, and hands each over to be filled. */
export function createSlots(fill: (place: Place) => void) {
  const places = new Map<string, Place>()
  const arrivals = new MutationObserver(() => find())
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Elements that are new since the last time are filled. */
  function find(): void {
    let missing = false
    for (const place of places.values()) {
      const element = document.getElementById(place.slot.elementId)
      if (!element) missing = true
      if (!element || element === place.host) continue
      place.host = element
      place.block = openBlock(element, place.slot)
      place.shown = []
      fill(place)
    }
    if (!missing) arrivals.disconnect()
  }

  function rescan(): void {
    arrivals.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['id'] })
    clearTimeout(timer)
    if (document.readyState !== 'loading') timer = setTimeout(() => arrivals.disconnect(), ELEMENT_WAIT_MS)
    find()
  }
  document.addEventListener('DOMContentLoaded', rescan)

  return {
    rescan,
    /** A slot for an element that has one takes its place, unless it is the same. */
    register(slot: FormattedSlot): void {
      const known = places.get(slot.elementId)
      if (JSON.stringify(known?.slot) !== JSON.stringify(slot)) {
        places.set(slot.elementId, { slot, host: null, block: null, shown: [] })
      }
      rescan()
    },
    /** Whether the place is still in the page, and not taken by another slot. */
    isCurrent: (place: Place) => places.get(place.slot.elementId) === place && place.host?.isConnected === true,
    /** Products that the page shows now. */
    shown: () => [...places.values()].flatMap((place) => (place.host?.isConnected ? place.shown : [])),
  }
}
export type Slots = ReturnType<typeof createSlots>
