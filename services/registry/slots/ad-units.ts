import {
  AdUnitCreate,
  AdUnitPatch,
  AdUnitQuery,
  AdUnitView,
  DISPLAY_ALGORITHMS,
} from '../../../schemas/http/panel/shops/ad-units.ts'
import {
  PlacementCreate,
  PlacementPatch,
  PlacementQuery,
  PlacementView,
} from '../../../schemas/http/panel/shops/shops.ts'
import type { AdUnit, Placement } from '../../../schemas/records/entities.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import { countOf } from '../resources/removal.ts'
import type { Resource } from '../resources/resource.ts'
import type { Access } from '../rights/access.ts'
import { inShop } from '../rights/indexes.ts'
import { publisherOnly } from '../rights/roles.ts'
import { checkAdFormats } from './ad-formats.ts'

/** Places on the pages of a shop. */
export function placements(deps: {
  snapshot: Snapshot
  access: Access
}): Resource<'Placement', typeof PlacementCreate, typeof PlacementPatch> {
  const { snapshot, access } = deps
  return {
    kind: 'Placement',
    path: 'placements',
    schemas: { create: PlacementCreate, patch: PlacementPatch, view: PlacementView, query: PlacementQuery },
    mayMake: publisherOnly,
    create(input, principal) {
      const fieldErrors = new FieldErrors()
      ownShop({ access, principal, shopId: input.shopId, fieldErrors })
      fieldErrors.throwIfAny()
      return input
    },
    change: ({ body }, input) => ({ ...body, ...input }),
    blockedBy: ({ id, body: { shopId } }) => [
      countOf(snapshot, [inShop.AdUnit, shopId], ({ placementId }) => placementId === id),
    ],
    views: (entities) => entities.map((entity) => ({ ...entityFields(entity), ...entity.body })),
  }
}

/** Ad units: what a placement shows, chosen by an algorithm. */
export function adUnits(deps: {
  snapshot: Snapshot
  access: Access
}): Resource<'AdUnit', typeof AdUnitCreate, typeof AdUnitPatch> {
  const { snapshot, access } = deps
  return {
    kind: 'AdUnit',
    path: 'ad-units',
    schemas: { create: AdUnitCreate, patch: AdUnitPatch, view: AdUnitView, query: AdUnitQuery },
    mayMake: publisherOnly,
    create(input, principal) {
      const placement = access.find(principal, 'Placement', input.placementId)?.body
      const unit: AdUnit = {
        status: 'ACTIVE',
        adFormatIds: [],
        targeting: [],
        ...input,
        shopId: placement?.shopId ?? '',
      }
      checkUnit(unit, placement, snapshot)
      return unit
    },
    change({ body }, input) {
      const unit = { ...body, ...input }
      checkUnit(unit, snapshot.body('Placement', unit.placementId), snapshot)
      return unit
    },
    blockedBy: ({ id, body: { shopId } }) => [
      countOf(snapshot, [inShop.TechnicalSlot, shopId], ({ businessSlotId }) => businessSlotId === id),
    ],
    views: (entities) => entities.map((entity) => ({ ...entityFields(entity), ...entity.body, slotHash: entity.id })),
  }
}

/** @throws Problem INVALID unless the unit suits the kind of its placement and its formats belong to the shop. */
function checkUnit(unit: AdUnit, placement: Placement | undefined, snapshot: Snapshot): void {
  const fieldErrors = new FieldErrors()
  const isDisplay = DISPLAY_ALGORITHMS.some((algorithm) => algorithm === unit.algorithm)
  if (!placement) {
    fieldErrors.add('/placementId', 'there is no such placement')
  } else if (isDisplay !== (placement.kind === 'DISPLAY')) {
    fieldErrors.add('/algorithm', `cannot be used in a ${placement.kind} placement`)
  }
  if (isDisplay) {
    if (placement) checkAdFormats({ ...unit, snapshot }, fieldErrors)
  } else {
    fieldErrors.check(unit.adFormatIds.length === 0, '/adFormatIds', 'only display ad units have formats')
    fieldErrors.check(unit.targeting.length === 0, '/targeting', 'only display ad units have targeting')
  }
  fieldErrors.throwIfAny()
}
