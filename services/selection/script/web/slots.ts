import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'
import { type Block, openBlock } from './block/block.ts'

/** A slot and the element of the page that it fills. */
export interface SlotPlace {
  slot: FormattedSlot
  host: HTMLElement | null
  block: Block | null
  /** Offer ids of the products that the place shows. */
  shown: string[]
}

/** An element that appears later than this after the page was parsed is found only by `rescan`. */
const ELEMENT_WAIT_MS = 10_000

/** Finds the elements of the slots, now or when they appear, and hands each over to be filled. */
export function createSlots(fill: (place: SlotPlace) => void) {
  const places = new Map<string, SlotPlace>()
  const arrivals = new MutationObserver(() => find())
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Fills the elements that are new since the last call. */
  function find(): void {
    let missing = false
    for (const { slot, host } of places.values()) {
      const element = document.getElementById(slot.elementId)
      if (!element) missing = true
      if (!element || element === host) continue
      // A new place: the answer to a request that is under way for the old one is not shown in it.
      const place: SlotPlace = { slot, host: element, block: openBlock(element, slot), shown: [] }
      places.set(slot.elementId, place)
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
    /** Adds a slot. It replaces a different slot of the same element. */
    register(slot: FormattedSlot): void {
      const known = places.get(slot.elementId)
      if (JSON.stringify(known?.slot) !== JSON.stringify(slot)) {
        places.set(slot.elementId, { slot, host: null, block: null, shown: [] })
      }
      rescan()
    },
    /** Whether the place is still in the page and has not been replaced by another slot. */
    isCurrent: (place: SlotPlace) => places.get(place.slot.elementId) === place && place.host?.isConnected === true,
    /** Offer ids of all products that the page shows now. */
    shown: () => [...places.values()].flatMap((place) => (place.host?.isConnected ? place.shown : [])),
  }
}
export type Slots = ReturnType<typeof createSlots>
