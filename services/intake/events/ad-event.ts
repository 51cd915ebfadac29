import type { AdEvent, AdKind } from '../../../schemas/records/records.ts'
import { adEventBytes, readGist } from '../../../schemas/wire/ad-event.ts'
import { fingerprintOf, told } from '../repeats.ts'
import { proofFor } from '../sender.ts'
import { foreign, type JudgedEvent, type Reception, type Rules, refused } from './event.ts'

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
export function adEvent(report: AdReport, reception: Reception, { showIds, snapshot, uuid }: Rules): JudgedEvent {
  const { type, kind, showId, occurredAt } = report
  const claims = showIds.openBytes(showId)
  if (!claims) return refused('/showId', 'was not made by this service', 'INVALID_SHOW_ID')
  const shown = readGist(claims)
  if (kind !== null && shown.kind !== kind) return refused('/showId', `is of a ${shown.kind} ad`, 'WRONG_KIND')
  const proof = proofFor(reception.sender, shown.shopId, snapshot)
  if (proof === null) return foreign('/showId')

  const cid = reception.cid ?? shown.cid
  const uid = reception.uid ?? (cid === shown.cid ? shown.uid : null)
  const { receivedAt, bot, client } = reception
  const event = { eventId: uuid(), type, cid, uid, occurredAt, receivedAt, bot, proof, ...client }
  // The tag at its end tells a showId from any other.
  const identity = type + showId.slice(-TAG_CHARS)
  const { value, campaignId } = adEventBytes(event, claims)
  return {
    status: 'TAKEN',
    record: { topic: 'ad-events', key: campaignId, value },
    shopId: shown.shopId,
    cid,
    identity,
    fingerprint: fingerprintOf([identity, told({ cid, uid, occurredAt, receivedAt, bot, proof, ...client }), cid]),
    warnings: [],
  }
}
