import {
  PlacementCreate,
  PlacementPatch,
  PlacementQuery,
  PlacementView,
} from '../../../schemas/http/panel/shops/shops.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Access } from '../access/access.ts'
import { publisherOnly } from '../access/roles.ts'
import { answered } from '../resources/edge.ts'
import { Findings } from '../resources/findings.ts'
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
      const findings = new Findings()
      ownShop({ access, principal, shopId: input.shopId, findings })
      findings.raise()
      return input
    },
    change: ({ body }, input) => ({ ...body, ...input }),
    heldBy({ id }) {
      return snapshot.all('AdUnit').some((unit) => unit.body.placementId === id) ? 'ad units' : null
    },
    views: (entities) => entities.map((entity) => ({ ...answered(entity), ...entity.body })),
  }
}
