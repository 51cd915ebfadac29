import type { ShowIdClaims } from '../../schemas/records.ts'
import type { ShowIds } from '../domain/show-id.ts'
import { adMembersJson, productDataJson } from './ad-json.ts'
import type { FilledSlot } from './fill-slot.ts'
import type { Person } from './person.ts'

export interface AnswerOptions {
  showIds: ShowIds
  requestId: string
  person: Person
  now: number
  /** Each ad carries productData. */
  decorate: boolean
}

/**
 * The answer's JSON, put together from parts that were written once: writing each ad anew would take longer than
 * choosing it.
 */
export function answerJson(slots: readonly FilledSlot[], options: AnswerOptions): string {
  const data = slots.map((filled) => slotJson(filled, options)).join(',')
  return `{"data":[${data}],"meta":null,"clientId":${JSON.stringify(options.person.cid)}}`
}

function slotJson(filled: FilledSlot, options: AnswerOptions): string {
  const ads = filled.ads.map((_, index) => adJson(filled, index, options)).join(',')
  // The schema lets only hexadecimal digits and dashes through.
  return `{"slotHash":"${filled.slot.targeting.slotHash}","ads":[${ads}]}`
}

function adJson({ slot, ads }: FilledSlot, index: number, options: AnswerOptions): string {
  const { entry, priceMicros } = ads[index]!
  const { requestId, person } = options
  const { product } = entry.candidate
  const claims: ShowIdClaims = {
    kind: 'SPONSORED',
    requestId,
    shopId: slot.shopId,
    slotHash: slot.id,
    adUnitId: slot.adUnitId,
    campaignId: entry.campaignId,
    accountId: entry.campaign.accountId,
    adId: product.offer.id,
    itemGroupId: product.offer.itemGroupId,
    cid: person.cid,
    uid: person.uid,
    algorithm: slot.algorithm,
    position: index + 1,
    priceMicros,
    currency: slot.shop.currency,
    autoPromo: entry.campaign.autoPromo,
    country: slot.country,
    emittedAt: options.now,
  }
  const decoration = options.decorate ? `,"productData":${productDataJson(product, slot.shop)}` : ''
  return (
    `{"adUnitId":"${slot.adUnitId}","showId":"${options.showIds.seal(claims)}","requestId":"${requestId}"` +
    `,"slotHash":"${slot.targeting.slotHash}","autoPromo":${entry.campaign.autoPromo},${adMembersJson(product, slot.shop)}${decoration}}`
  )
}
