import type { AdKind, ShowIdClaims } from '../../../schemas/records/events.ts'
import type { ShowIds } from '../../domain/show-id/show-id.ts'
import type { AdChooser } from '../ad-chooser.ts'
import type { FilledSlot, SlotEntry } from '../fill-slot.ts'
import { type AnySlot, messageOf } from '../slots.ts'
import type { Person } from './person.ts'
import { isRefused, type RefusedSlot } from './targeting-reader.ts'

export interface AnswerOptions<S extends AnySlot, E extends SlotEntry> {
  ads: Pick<AdChooser<S, E>, 'kind' | 'membersJson'>
  showIds: ShowIds
  person: Person
  now: number
  /** Each sponsored ad carries productData. */
  decorate: boolean
}

/** What became of the slots of one shop. */
export interface ShopFill<S extends AnySlot, E extends SlotEntry> {
  requestId: string
  filled: readonly FilledSlot<S, E>[]
}

/**
 * The answer's JSON, put together from parts that were written once: writing each ad anew would take longer than
 * choosing it.
 * @param slots in the order asked for; those not refused are filled in `fills`.
 */
export function answerJson<S extends AnySlot, E extends SlotEntry>(
  slots: readonly (S | RefusedSlot)[],
  fills: readonly ShopFill<S, E>[],
  options: AnswerOptions<S, E>,
): string {
  const written = new Map<S | RefusedSlot, string>()
  for (const { requestId, filled } of fills) {
    for (const each of filled) written.set(each.slot, slotJson(each, { ...options, requestId }))
  }
  const data = slots.map((slot) => (isRefused(slot) ? refusalJson(slot) : written.get(slot)!)).join(',')
  return `{"data":[${data}],"meta":null,"clientId":${JSON.stringify(options.person.cid)}}`
}

function refusalJson({ slotHash, code, errors }: RefusedSlot): string {
  return JSON.stringify({ slotHash, ads: [], error: { code, message: messageOf(errors) } })
}

type SlotOptions<S extends AnySlot, E extends SlotEntry> = AnswerOptions<S, E> & { requestId: string }

function slotJson<S extends AnySlot, E extends SlotEntry>(
  filled: FilledSlot<S, E>,
  options: SlotOptions<S, E>,
): string {
  const ads = filled.ads.map((_, index) => adJson(filled, index, options)).join(',')
  // The schema lets only hexadecimal digits and dashes through.
  return `{"slotHash":"${filled.slot.targeting.slotHash}","ads":[${ads}]}`
}

function adJson<S extends AnySlot, E extends SlotEntry>(
  filled: FilledSlot<S, E>,
  index: number,
  options: SlotOptions<S, E>,
): string {
  const { slot } = filled
  const { entry } = filled.ads[index]!
  const { ads, requestId } = options
  const showId = options.showIds.seal(claimsOf(filled, index, { ...options, kind: ads.kind }))
  return (
    `{"showId":"${showId}","requestId":"${requestId}","slotHash":"${slot.targeting.slotHash}"` +
    `,"autoPromo":${entry.campaign.autoPromo},${ads.membersJson(entry, slot, options)}}`
  )
}

function claimsOf(
  { slot, ads }: FilledSlot<AnySlot, SlotEntry>,
  index: number,
  { kind, requestId, person, now }: { kind: AdKind; requestId: string; person: Person; now: number },
): ShowIdClaims {
  const { entry, priceMicros } = ads[index]!
  return {
    kind,
    requestId,
    shopId: slot.shopId,
    slotHash: slot.id,
    adUnitId: slot.adUnitId,
    campaignId: entry.campaignId,
    accountId: entry.campaign.accountId,
    adId: entry.adId,
    itemGroupId: entry.itemGroupId,
    cid: person.cid,
    uid: person.uid,
    algorithm: slot.algorithm,
    position: index + 1,
    priceMicros,
    currency: slot.shop.currency,
    autoPromo: entry.campaign.autoPromo,
    country: slot.country,
    emittedAt: now,
  }
}
