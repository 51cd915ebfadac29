import type { AdKind } from '../../schemas/records/events.ts'
import type { AwardContext } from './budget/allocate.ts'
import type { FilledSlot, SlotEntry } from './fill-slot.ts'
import type { Parameters } from './http/parameters.ts'
import type { AnySlot, SlotRules } from './slots.ts'

/** One ad request, for those who choose its ads. */
export interface ChoosingContext extends AwardContext, Omit<Parameters, 'person'> {
  /** Of the request: orders equals. */
  tieSeed: number
}

/** What one kind of ads adds to the story of a request that both kinds share (`select`). */
export interface AdChooser<S extends AnySlot, E extends SlotEntry> {
  kind: AdKind
  rules: SlotRules<S>
  /**
   * Begins with a slot, and resolves to what fills it: slots are begun at once, and filled one after the other.
   * `placesBefore`: of the slots before in the request, which may take the best ads.
   */
  begin(slot: S, placesBefore: number, context: ChoosingContext): Promise<FillBegun<S, E>>
  /** The members of an ad's JSON that only this kind has, without braces. */
  membersJson(entry: E, slot: S, request: Pick<Parameters, 'decorate'>): string
}

/** `taken`: dedupe keys that earlier slots of the request show. */
export type FillBegun<S extends AnySlot, E extends SlotEntry> = (
  taken: ReadonlySet<string>,
) => Promise<FilledSlot<S, E>>
