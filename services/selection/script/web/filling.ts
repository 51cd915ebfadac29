import type { Targeting } from '../../../../schemas/http/targeting.ts'
import type { Ad } from './ads.ts'
import type { ShownAd } from './block/block.ts'
import type { SlotPlace, Slots } from './slots.ts'

export interface FillingDeps {
  slots: () => Pick<Slots, 'isCurrent' | 'shown'>
  ask(targeting: Targeting[]): Promise<Ad[][]>
  /** Whether script elements of the page have yet to run. */
  morePending(): boolean
  onShown(shown: ShownAd): void
}

/** How long to wait for the page's other script elements, so that one request asks for all slots. */
const TOGETHER_MS = 200
/** Limits of the server for one request. */
const SLOTS_MAX = 20
const EXCLUDED_MAX = 1_000

/** Requests the ads of slots, one request at a time: each excludes the products that the page already shows. */
export function createFilling({ slots, ask, morePending, onShown }: FillingDeps) {
  const waiting = new Set<SlotPlace>()
  let asking = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function askForWaiting(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (asking) return
    asking = true
    for (let batch = next(); batch.length > 0; batch = next()) {
      const answers = await ask(batch.map(withoutShown))
      for (const [index, place] of batch.entries()) if (slots().isCurrent(place)) show(place, answers[index]!)
    }
    asking = false
  }

  function next(): SlotPlace[] {
    const batch = [...waiting].filter((place) => slots().isCurrent(place)).slice(0, SLOTS_MAX)
    if (batch.length === 0) waiting.clear()
    for (const place of batch) waiting.delete(place)
    return batch
  }

  function withoutShown({ slot: { targeting } }: SlotPlace): Targeting {
    const excluded = [...(targeting.excludedShopProductIds ?? []), ...slots().shown()]
    return excluded.length === 0 ? targeting : { ...targeting, excludedShopProductIds: excluded.slice(0, EXCLUDED_MAX) }
  }

  function show(place: SlotPlace, ads: readonly Ad[]): void {
    const shown = place.block!.show(ads)
    place.shown = shown.map(({ ad }) => ad.shopProductId)
    for (const each of shown) onShown(each)
    const detail = { slotHash: place.slot.targeting.slotHash, ads: shown.length }
    place.host!.dispatchEvent(new CustomEvent('endcap:rendered', { bubbles: true, composed: true, detail }))
  }

  return (place: SlotPlace): void => {
    waiting.add(place)
    // A microtask runs after the caller has registered all slots that came before the library.
    if (!morePending()) queueMicrotask(askForWaiting)
    else timer ??= setTimeout(askForWaiting, TOGETHER_MS)
  }
}
