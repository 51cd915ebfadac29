import type { Targeting } from '../../schemas/http/targeting.ts'
import type { AdUnit, Algorithm, Shop, SponsoredAlgorithm, TechnicalSlot } from '../../schemas/records/entities.ts'
import { type ErrorCode, fieldProblem, type Problem } from '../domain/errors.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { CampaignKind } from './eligibility/campaigns.ts'
import { isRefused, type RefusedSlot } from './request/targeting-reader.ts'

/** The message for an ad unit that may be newer than this process's copy of the registry. */
const NOT_HERE = 'is not known to this process yet'

/** The members of a targeting object that both kinds of ads read. */
export type AnyTargeting = Pick<Targeting, 'slotHash' | 'adCount' | 'minAdCount' | 'adType' | 'country'>

/** An ad unit that a request asks to fill. */
export interface Slot<T extends AnyTargeting = Targeting, A extends Algorithm = SponsoredAlgorithm> {
  targeting: T
  /** Id of the ad unit or technical ad unit asked for, in lower case. */
  id: string
  adUnitId: string
  adUnit: AdUnit
  /** Null when the ad unit itself was asked for. */
  technical: TechnicalSlot | null
  shopId: string
  shop: Shop
  algorithm: A
  active: boolean
  /** The country of the request, else of the technical ad unit, in upper case. */
  country: string | null
}
export type AnySlot = Slot<AnyTargeting, Algorithm>

const CAMPAIGN_KINDS: Record<NonNullable<AnyTargeting['adType']>, readonly CampaignKind[]> = {
  ALL: ['PAID', 'AUTO_PROMO'],
  SPONSORED: ['PAID'],
  AUTOPROMO: ['AUTO_PROMO'],
}

/** The kinds of campaigns that a slot may show, in the order that they take places: paid ads first. */
export function campaignKindsOf({ targeting }: AnySlot): readonly CampaignKind[] {
  return CAMPAIGN_KINDS[targeting.adType ?? 'ALL']
}

/** The rules for slots of one kind of ads. */
export interface SlotRules<S extends AnySlot> {
  /** Whether ad units with this algorithm show ads of this kind. */
  takes(algorithm: Algorithm): boolean
  /** The message for an ad unit of the other kind. */
  otherKind: string
  /** The required parameters that a slot lacks. */
  check(slot: S): { field: string; message: string }[]
}

/**
 * Resolves the ad units that a request names, and checks each against its algorithm. A slot that cannot be filled is refused
 * without affecting the others.
 * @throws Problem when none can be filled: 400 that lists everything wrong with the request, or 503 when an ad unit may exist
 * and only be missing from this process's copy of the registry.
 */
export function resolveSlots<S extends AnySlot>(
  snapshot: Snapshot,
  asked: readonly (S['targeting'] | RefusedSlot)[],
  rules: SlotRules<S>,
): (S | RefusedSlot)[] {
  const slots = asked.map((each, index) => (isRefused(each) ? each : checkedSlot(snapshot, each, { index, rules })))
  const refused = slots.filter(isRefused)
  if (refused.length === slots.length) throw problemOf(refused)
  return slots
}

function checkedSlot<S extends AnySlot>(
  snapshot: Snapshot,
  targeting: S['targeting'],
  { index, rules }: { index: number; rules: SlotRules<S> },
): S | RefusedSlot {
  const refuse = (code: ErrorCode, found: { field: string; message: string }[]): RefusedSlot => ({
    slotHash: targeting.slotHash,
    code,
    errors: found.map(({ field, message }) => ({ path: `/targeting/${index}/${field}`, message })),
  })
  const slot = resolveSlot(snapshot, targeting) as S | null
  if (!slot && snapshot.staleReason !== null) return refuse('UNAVAILABLE', [{ field: 'slotHash', message: NOT_HERE }])
  if (!slot) return refuse('UNKNOWN_SLOT', [{ field: 'slotHash', message: 'is not an ad unit' }])
  if (!rules.takes(slot.algorithm)) return refuse('WRONG_KIND', [{ field: 'slotHash', message: rules.otherKind }])
  const lacking = rules.check(slot)
  return lacking.length > 0 ? refuse('INVALID', lacking) : slot
}

function resolveSlot(snapshot: Snapshot, targeting: AnyTargeting): AnySlot | null {
  const id = targeting.slotHash.toLowerCase()
  const technical = snapshot.body('TechnicalSlot', id) ?? null
  const adUnitId = technical?.businessSlotId ?? id
  // A technical ad unit outlives its business slot: it is still known, but stays empty.
  const adUnit = technical ? snapshot.getEver('AdUnit', adUnitId)?.body : snapshot.body('AdUnit', adUnitId)
  const shop = adUnit && snapshot.body('Shop', adUnit.shopId)
  if (!adUnit || !shop) return null
  return {
    targeting,
    id,
    adUnitId,
    adUnit,
    technical,
    shopId: adUnit.shopId,
    shop,
    algorithm: adUnit.algorithm,
    active: isActive(snapshot, adUnitId, adUnit, technical),
    country: (targeting.country ?? technical?.country)?.toUpperCase() ?? null,
  }
}

function isActive(snapshot: Snapshot, adUnitId: string, adUnit: AdUnit, technical: TechnicalSlot | null): boolean {
  const known = snapshot.get('AdUnit', adUnitId) !== undefined
  return known && adUnit.status === 'ACTIVE' && (technical === null || technical.status === 'ACTIVE')
}

function problemOf(refused: readonly RefusedSlot[]): Problem {
  const [first] = refused
  const unavailable = refused.find((slot) => slot.code === 'UNAVAILABLE')
  if (unavailable) return fieldProblem(unavailable.code, unavailable.errors)
  const code = refused.every((slot) => slot.code === first!.code) ? first!.code : 'INVALID'
  return fieldProblem(
    code,
    refused.flatMap((slot) => slot.errors),
  )
}
