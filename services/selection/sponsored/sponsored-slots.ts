import { algorithms } from '../algorithms/all.ts'
import type { Slot, SlotRules } from '../slots.ts'

export const sponsoredSlots: SlotRules<Slot> = {
  takes: (algorithm) => algorithm in algorithms,
  otherKind: 'is a display ad unit',
  check({ targeting, algorithm, adUnitId }) {
    const { businessSlotId } = targeting
    const isOther = businessSlotId && businessSlotId.toLowerCase() !== adUnitId
    return [
      ...algorithms[algorithm].check(targeting),
      ...(isOther ? [{ field: 'businessSlotId', message: 'is not the business slot of this ad unit' }] : []),
    ]
  },
}
