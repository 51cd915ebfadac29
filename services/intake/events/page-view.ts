import type { PageViewBody } from '../../../schemas/http/events.ts'
import type { PageView } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { canonicalId } from '../../domain/identity/uuid.ts'
import { proofFor, type Sender } from '../sender.ts'
import { contentOf, fingerprintOf } from './duplicate-filter.ts'
import {
  rejected,
  rejectedOtherShop,
  rejectedUnknownShop,
  type ValidationDeps,
  type ValidationResult,
} from './validation.ts'

export interface Visit {
  cid: string
  /** True when the sender gave no cid and one was assigned. */
  assigned: boolean
  uid: string | null
  occurredAt: number
  receivedAt: number
  sender: Sender
}

/** Validates a page view. Its record is keyed by cid. */
export function validatePageView(report: PageViewBody, visit: Visit, { snapshot }: ValidationDeps): ValidationResult {
  const shopId = canonicalId(report.shopId)
  if (!snapshot.get('Shop', shopId)) return rejectedUnknownShop(snapshot)
  const proof = proofFor(visit.sender, shopId, snapshot)
  if (proof === null) return rejectedOtherShop('/shopId')
  if (!URL.canParse(report.referer)) return rejected('/referer', 'must be a URL')

  const value: PageView = {
    id: report.id,
    shopId,
    cid: visit.cid,
    uid: visit.uid,
    referer: report.referer,
    shopProductId: report.shopProductId || null,
    gclid: report.gclid || null,
    utmSource: report.utmSource || null,
    utmMedium: report.utmMedium || null,
    utmCampaign: report.utmCampaign || null,
    occurredAt: visit.occurredAt,
    receivedAt: visit.receivedAt,
    proof,
  }
  const identity = `PAGE_VIEW ${value.shopId} ${value.id}`
  return {
    status: 'ACCEPTED',
    record: { topic: 'page-views', key: visit.cid, value: encode('PageView', value) },
    shopId,
    cid: visit.cid,
    identity,
    fingerprint: fingerprintOf([identity, contentOf(value), visit.assigned ? null : value.cid]),
    warnings: [],
  }
}
