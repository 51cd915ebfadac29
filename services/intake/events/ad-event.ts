import type { AdEvent, AdKind } from '../../../schemas/records/events.ts'
import { adEventBytes, readGist } from '../../../schemas/wire/ad-event.ts'
import { fingerprintOf, told } from '../duplicate-filter.ts'
import { proofFor } from '../sender.ts'
import { foreign, type RequestContext, rejected, type ValidationDeps, type ValidationResult } from './validation.ts'

/** base64url of the 16 bytes of a showId's authentication tag. */
const TAG_CHARS = 22

export interface AdReport {
  type: AdEvent['type']
  /** The kind of ad that the endpoint is for; null: both. */
  kind: AdKind | null
  showId: string
  occurredAt: number
}

/**
 * A view or click of the ad that the showId was given for; keyed by campaign.
 * Its eventId is new each time: a report sent again is a record of its own, which the judge knows by the showId's claims
 * (one valid view and one valid click) and marks DUPLICATE.
 * The person is who the headers say. Without a cid it is the one that the ad was given to, who may have told a uid then.
 */
export function adEvent(
  report: AdReport,
  context: RequestContext,
  { showIds, snapshot, uuid }: ValidationDeps,
): ValidationResult {
  const { type, kind, showId, occurredAt } = report
  const claims = showIds.openBytes(showId)
  if (!claims) return rejected('/showId', 'was not made by this service', 'INVALID_SHOW_ID')
  const shown = readGist(claims)
  if (kind !== null && shown.kind !== kind) return rejected('/showId', `is of a ${shown.kind} ad`, 'WRONG_KIND')
  const proof = proofFor(context.sender, shown.shopId, snapshot)
  if (proof === null) return foreign('/showId')

  const cid = context.cid ?? shown.cid
  const uid = context.uid ?? (cid === shown.cid ? shown.uid : null)
  const { receivedAt, bot, client } = context
  const event = { eventId: uuid(), type, cid, uid, occurredAt, receivedAt, bot, proof, ...client }
  // The tag at its end tells a showId from any other.
  const identity = type + showId.slice(-TAG_CHARS)
  const { value, campaignId } = adEventBytes(event, claims)
  return {
    status: 'ACCEPTED',
    record: { topic: 'ad-events', key: campaignId, value },
    shopId: shown.shopId,
    cid,
    identity,
    fingerprint: fingerprintOf([identity, told({ cid, uid, occurredAt, receivedAt, bot, proof, ...client }), cid]),
    warnings: [],
  }
}
