import { detailOf } from '../domain/errors.ts'
import type { AdBid, AdSteps } from './ad-steps.ts'
import type { FilledSlot } from './emission/emission.ts'
import { isRefused, type RefusedSlot } from './request/targeting-reader.ts'
import type { AnySlot } from './slots.ts'

/** A slot with the ids by which events refer to its ads. */
export interface SignedSlot<S extends AnySlot, B extends AdBid> extends FilledSlot<S, B> {
  requestId: string
  /** One for each ad. */
  showIds: readonly string[]
}

export interface AnswerOptions<S extends AnySlot, B extends AdBid> {
  clientId: string
  /** Whether each sponsored ad carries productData. */
  decorate: boolean
  membersJson: AdSteps<S, never, B>['membersJson']
}

/**
 * The answer's JSON, assembled from parts that were serialized once: serializing each ad for every request would take longer
 * than choosing it.
 * @param slots in the order of the request; those not refused are in `signed`.
 */
export function answerJson<S extends AnySlot, B extends AdBid>(
  slots: readonly (S | RefusedSlot)[],
  signed: readonly SignedSlot<S, B>[],
  options: AnswerOptions<S, B>,
): string {
  const json = new Map<S | RefusedSlot, string>()
  for (const each of signed) json.set(each.slot, slotJson(each, options))
  const data = slots.map((slot) => (isRefused(slot) ? refusalJson(slot) : json.get(slot)!)).join(',')
  return `{"data":[${data}],"meta":null,"clientId":${JSON.stringify(options.clientId)}}`
}

function refusalJson({ slotHash, code, errors }: RefusedSlot): string {
  return JSON.stringify({ slotHash, ads: [], error: { code, message: detailOf(errors) } })
}

function slotJson<S extends AnySlot, B extends AdBid>(
  { slot, ads, requestId, showIds }: SignedSlot<S, B>,
  { decorate, membersJson }: AnswerOptions<S, B>,
): string {
  // The schema lets only hexadecimal digits and dashes through.
  const { slotHash } = slot.targeting
  const list = ads.map(
    ({ bid }, index) =>
      `{"showId":"${showIds[index]}","requestId":"${requestId}","slotHash":"${slotHash}"` +
      `,"autoPromo":${bid.campaign.autoPromo},${membersJson(bid, slot, decorate)}}`,
  )
  return `{"slotHash":"${slotHash}","ads":[${list.join(',')}]}`
}
