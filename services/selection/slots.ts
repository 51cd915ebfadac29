import type { AdUnit, Shop, SponsoredAlgorithm, TechnicalSlot } from '../../schemas/entities.ts'
import type { Targeting } from '../../schemas/http/selection.ts'
import { type ErrorCode, type FieldError, Problem } from '../domain/errors.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { algorithms } from './algorithms.ts'

/** An ad unit that a request asks to fill. */
export interface Slot {
  targeting: Targeting
  /** Id of the ad unit or technical slot asked for, in lower case. */
  id: string
  adUnitId: string
  shopId: string
  shop: Shop
  algorithm: SponsoredAlgorithm
  active: boolean
  /** Of the request, else of the technical slot, in upper case. */
  country: string | null
}

interface Finding {
  code: ErrorCode
  error: FieldError
}

/**
 * Finds the slots of a request and checks each against its algorithm.
 * @throws Problem (400) that lists everything wrong with the request.
 */
export function resolveSlots(snapshot: Snapshot, targetings: readonly Targeting[]): Slot[] {
  const findings: Finding[] = []
  const slots = targetings.map((targeting, index) => {
    const problem = (code: ErrorCode, field: string, message: string) => {
      findings.push({ code, error: { path: `/targeting/${index}/${field}`, message } })
    }
    const slot = resolveSlot(snapshot, targeting)
    if (slot === 'UNKNOWN') return problem('UNKNOWN_SLOT', 'slotHash', 'is not an ad unit')
    if (slot === 'DISPLAY') return problem('WRONG_KIND', 'slotHash', 'is a display ad unit')
    for (const { field, message } of algorithms[slot.algorithm].check(targeting)) problem('INVALID', field, message)
    const { businessSlotId } = targeting
    if (businessSlotId && businessSlotId.toLowerCase() !== slot.adUnitId) {
      problem('INVALID', 'businessSlotId', 'is not the business slot of this ad unit')
    }
    return slot
  })
  const shopId = slots[0]?.shopId
  for (const [index, slot] of slots.entries()) {
    if (!slot || !shopId || slot.shopId === shopId) continue
    const error = { path: `/targeting/${index}/slotHash`, message: 'is of another shop than the first' }
    findings.push({ code: 'INVALID', error })
  }
  if (findings.length > 0) throw problemOf(findings)
  return slots as Slot[]
}

function resolveSlot(snapshot: Snapshot, targeting: Targeting): Slot | 'UNKNOWN' | 'DISPLAY' {
  const id = targeting.slotHash.toLowerCase()
  const technical = snapshot.body('TechnicalSlot', id)
  const adUnitId = technical?.businessSlotId ?? id
  // A technical slot outlives its business slot: it is known, and stays empty.
  const adUnit = technical ? snapshot.getEver('AdUnit', adUnitId)?.body : snapshot.body('AdUnit', adUnitId)
  const shop = adUnit && snapshot.body('Shop', adUnit.shopId)
  if (!adUnit || !shop) return 'UNKNOWN'
  if (adUnit.algorithm === 'DISPLAY' || adUnit.algorithm === 'DISPLAY_PHRASE_OR_CATEGORY') return 'DISPLAY'
  return {
    targeting,
    id,
    adUnitId,
    shopId: adUnit.shopId,
    shop,
    algorithm: adUnit.algorithm,
    active: isActive(snapshot, adUnitId, adUnit, technical),
    country: (targeting.country ?? technical?.country)?.toUpperCase() ?? null,
  }
}

function isActive(snapshot: Snapshot, adUnitId: string, adUnit: AdUnit, technical: TechnicalSlot | undefined): boolean {
  const known = snapshot.get('AdUnit', adUnitId) !== undefined
  return known && adUnit.status === 'ACTIVE' && (technical === undefined || technical.status === 'ACTIVE')
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
