import {
  AdFormatCreate,
  AdFormatPatch,
  AdFormatQuery,
  AdFormatView,
} from '../../../schemas/http/panel/shops/ad-formats.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import { countOf } from '../resources/removal.ts'
import type { Resource } from '../resources/resource.ts'
import type { Access } from '../rights/access.ts'
import { inShop } from '../rights/indexes.ts'
import { publisherOnly } from '../rights/roles.ts'

/** Formats of banners. A format never changes, so a banner that fits it once always does. */
export function adFormats(deps: {
  snapshot: Snapshot
  access: Access
}): Resource<'AdFormat', typeof AdFormatCreate, typeof AdFormatPatch> {
  const { snapshot, access } = deps
  return {
    kind: 'AdFormat',
    path: 'ad-formats',
    schemas: { create: AdFormatCreate, patch: AdFormatPatch, view: AdFormatView, query: AdFormatQuery },
    mayMake: publisherOnly,
    create(input, principal) {
      const fieldErrors = new FieldErrors()
      ownShop({ access, principal, shopId: input.shopId, fieldErrors })
      const { images, textFields } = input
      fieldErrors.check(
        images.length + textFields.length > 0,
        '/images',
        'a format has at least one image or text field',
      )
      for (const [at, { type }] of textFields.entries()) {
        const isFirst = textFields.findIndex((field) => field.type === type) === at
        fieldErrors.check(isFirst, `/textFields/${at}/type`, 'is listed more than once')
      }
      fieldErrors.throwIfAny()
      return { ...input, images: images.map(({ name = null, ...size }) => ({ name, ...size })) }
    },
    change() {
      throw new Problem('CONFLICT', 'An ad format cannot be changed: create another one')
    },
    blockedBy({ id, body: { shopId } }) {
      const restricts = ({ adFormatIds }: { adFormatIds: readonly string[] }) => adFormatIds.includes(id)
      return [
        countOf(snapshot, [inShop.AdUnit, shopId], restricts),
        countOf(snapshot, [inShop.TechnicalSlot, shopId], restricts),
        countOf(snapshot, [inShop.Campaign, shopId], ({ banners }) =>
          banners.some(({ adFormatId }) => adFormatId === id),
        ),
      ]
    },
    views: (entities) => entities.map((entity) => ({ ...entityFields(entity), ...entity.body })),
  }
}

/** Adds an error for each id that is not an ad format of the shop. */
export function checkAdFormats(
  request: { adFormatIds: readonly string[]; shopId: string; snapshot: Snapshot },
  fieldErrors: FieldErrors,
): void {
  const { adFormatIds, shopId, snapshot } = request
  for (const [at, id] of adFormatIds.entries()) {
    const isOfShop = snapshot.body('AdFormat', id)?.shopId === shopId
    fieldErrors.check(isOfShop, `/adFormatIds/${at}`, 'is not an ad format of this shop')
  }
}
