import {
  PlacementCreate,
  PlacementPatch,
  PlacementQuery,
  PlacementView,
} from '../../../schemas/http/panel/shops/shops.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Access } from '../access/access.ts'
import { publisherOnly } from '../access/roles.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import type { Resource } from '../resources/resource.ts'

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
    blockedBy({ id }) {
      return snapshot.all('AdUnit').some((unit) => unit.body.placementId === id) ? 'ad units' : null
    },
    views: (entities) => entities.map((entity) => ({ ...entityFields(entity), ...entity.body })),
  }
}
