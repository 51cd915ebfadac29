import type { AdUnit, Algorithm, Shop, SponsoredAlgorithm, TechnicalSlot } from '../../schemas/entities.ts'
import type { Targeting } from '../../schemas/http/selection.ts'
import { type ErrorCode, type FieldError, Problem } from '../domain/errors.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/** What is read of a targeting object whatever the kind of ads. */
export type AnyTargeting = Pick<Targeting, 'slotHash' | 'adCount' | 'minAdCount' | 'adType' | 'country'>

/** An ad unit that a request asks to fill. */
export interface Slot<T extends AnyTargeting = Targeting, A extends Algorithm = SponsoredAlgorithm> {
  targeting: T
  /** Id of the ad unit or technical slot asked for, in lower case. */
  id: string
  adUnitId: string
  adUnit: AdUnit
  /** Null: the ad unit itself was asked for. */
  technical: TechnicalSlot | null
  shopId: string
  shop: Shop
  algorithm: A
  active: boolean
  /** Of the request, else of the technical slot, in upper case. */
  country: string | null
}
export type AnySlot = Slot<AnyTargeting, Algorithm>

/** What is asked of slots of one kind of ads. */
export interface SlotRules<S extends AnySlot> {
  /** Whether ad units with this algorithm show ads of this kind. */
  takes(algorithm: Algorithm): boolean
  /** Said of an ad unit of the other kind. */
  otherKind: string
  /** What a slot of this kind lacks. */
  check(slot: S): { field: string; message: string }[]
}

interface Finding {
  code: ErrorCode
  error: FieldError
}

/**
 * Finds the slots of a request and checks each against its algorithm.
 * @throws Problem (400) that lists everything wrong with the request.
 */
export function resolveSlots<S extends AnySlot>(
  snapshot: Snapshot,
  targetings: readonly S['targeting'][],
  rules: SlotRules<S>,
): S[] {
  const findings: Finding[] = []
  const slots = targetings.map((targeting, index) => {
    const problem = (code: ErrorCode, field: string, message: string) => {
      findings.push({ code, error: { path: `/targeting/${index}/${field}`, message } })
    }
    const slot = resolveSlot(snapshot, targeting)
    if (!slot) return problem('UNKNOWN_SLOT', 'slotHash', 'is not an ad unit')
    if (!rules.takes(slot.algorithm)) return problem('WRONG_KIND', 'slotHash', rules.otherKind)
    const known = slot as S
    for (const { field, message } of rules.check(known)) problem('INVALID', field, message)
    return known
  })
  const shopId = slots[0]?.shopId
  for (const [index, slot] of slots.entries()) {
    if (!slot || !shopId || slot.shopId === shopId) continue
    const error = { path: `/targeting/${index}/slotHash`, message: 'is of another shop than the first' }
    findings.push({ code: 'INVALID', error })
  }
  if (findings.length > 0) throw problemOf(findings)
  return slots as S[]
}

function resolveSlot(snapshot: Snapshot, targeting: AnyTargeting): AnySlot | null {
  const id = targeting.slotHash.toLowerCase()
  const technical = snapshot.body('TechnicalSlot', id) ?? null
  const adUnitId = technical?.businessSlotId ?? id
  // A technical slot outlives its business slot: it is known, and stays empty.
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

function problemOf(findings: readonly Finding[]): Problem {
  const [first] = findings
  const code = findings.every((finding) => finding.code === first!.code) ? first!.code : 'INVALID'
  const errors = findings.map((finding) => finding.error)
  return new Problem(
    code,
    errors
      .map(({ path, message }) => `${path} ${message}`)
      .slice(0, 5)
      .join('; '),
    { errors },
  )
}
