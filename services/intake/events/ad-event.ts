import type { AdEvent, AdKind } from '../../../schemas/records/events.ts'
import { adEventBytes, readGist, withoutPerson } from '../../../schemas/wire/ad-event.ts'
import { NAMED_AFTER_MAX_MS } from '../../domain/erasure/erasures.ts'
import type { RequestContext } from '../request-context.ts'
import { proofFor } from '../sender.ts'
import { contentOf, fingerprintOf } from './duplicate-filter.ts'
import { notBeforeServed } from './occurred-at.ts'
import { rejected, rejectedOtherShop, type ValidationDeps, type ValidationResult } from './validation.ts'

/** base64url of the 16 bytes of a showId's authentication tag. */
const TAG_CHARS = 22

export interface AdReport {
  type: AdEvent['type']
  /** The kind of ad that the endpoint takes; null when it takes both. */
  kind: AdKind | null
  showId: string
  occurredAt: number
}

/**
 * Validates a view or click of the ad that the showId was made for. Its record is keyed by campaign.
 *
 * Every report gets its own eventId: the judge recognizes a duplicate by the claims of the showId, for which one view and one
 * click are valid. The headers say who acted. Without a cid it is the person to whom the ad was shown, with the uid known
 * then.
 */
export function validateAdEvent(
  report: AdReport,
  context: RequestContext,
  { showIds, snapshot, uuid }: ValidationDeps,
): ValidationResult {
  const { type, kind, showId } = report
  const claims = showIds.openBytes(showId)
  if (!claims) return rejected('/showId', 'was not made by this service', 'INVALID_SHOW_ID')
  const shown = readGist(claims)
  if (kind !== null && shown.kind !== kind) return rejected('/showId', `belongs to a ${shown.kind} ad`, 'WRONG_KIND')
  const proof = proofFor(context.sender, shown.shopId, snapshot)
  if (proof === null) return rejectedOtherShop('/showId')

  const cid = context.cid ?? shown.cid
  const uid = context.uid ?? (cid === shown.cid ? shown.uid : null)
  const { receivedAt, bot, client } = context
  const { at: occurredAt, warnings } = notBeforeServed(report.occurredAt, { ...shown, receivedAt })
  const event = { eventId: uuid(), type, cid, uid, occurredAt, receivedAt, bot, proof, ...client }
  // The authentication tag at the end of a showId identifies it.
  const identity = type + showId.slice(-TAG_CHARS)
  // It counts no more, and the digests of erased people may be forgotten by now, so that no erasure would find the person in it.
  const isForgotten = receivedAt - shown.emittedAt > NAMED_AFTER_MAX_MS
  const { value, campaignId } = adEventBytes(event, isForgotten ? withoutPerson(claims) : claims)
  return {
    status: 'ACCEPTED',
    record: { topic: 'ad-events', key: campaignId, value },
    shopId: shown.shopId,
    cid,
    identity,
    fingerprint: fingerprintOf([identity, contentOf({ cid, uid, occurredAt, receivedAt, bot, proof, ...client }), cid]),
    warnings,
  }
}
