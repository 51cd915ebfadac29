import type { AdChooser } from '../ad-chooser.ts'
import { planSlot } from '../candidates/plan-slot.ts'
import { emptySlot, fillSlot } from '../fill-slot.ts'
import type { Slot } from '../slots.ts'
import { adMembersJson, productDataJson } from './ad-json.ts'
import { fillPlaces, type ProductEntry, type SponsoredDeps } from './fill-places.ts'
import { sponsoredSlots } from './sponsored-slots.ts'

/** Chooses sponsored products among what the product index finds. */
export function sponsoredAds(deps: SponsoredDeps): AdChooser<Slot, ProductEntry> {
  return {
    kind: 'SPONSORED',
    rules: sponsoredSlots,
    async begin(slot, placesBefore, choosing) {
      const context = { ...deps, ...choosing }
      const plan = await planSlot(slot, placesBefore, context)
      if (typeof plan === 'string') return async () => emptySlot(slot, plan)
      return (taken) => fillSlot(slot, taken, (kind, options) => fillPlaces(plan, kind, options, context), context)
    },
    membersJson({ candidate: { product } }, { adUnitId, shop }, { decorate }) {
      const decoration = decorate ? `,"productData":${productDataJson(product, shop)}` : ''
      return `"adUnitId":"${adUnitId}",${adMembersJson(product, shop)}${decoration}`
    },
  }
}
