import { Type } from 'typebox'
import { answered, Body, Id, IdText, ListQuery, Name, Nullable, PatchBody } from './panel/common.ts'
import { NO_CONTROL_PATTERN } from './text.ts'

const PUBLISHER_SLOT_ID_CHARS_MAX = 255
const AD_FORMATS_MAX = 50
const PLACE_CHARS_MAX = 200

/** Technical ad units: `Technical ad unit (slot)` of the interface specification. */

const Place = (description: string) =>
  Type.String({ maxLength: PLACE_CHARS_MAX, description: `${description}; empty where it is not given` })

const location = {
  country: Place('ISO 3166-1 alpha-2: the country of requests that name none'),
  street: Place('Street and number'),
  city: Place('Town'),
  postalCode: Place('Postal code'),
}
const optionalLocation = {
  country: Nullable(location.country),
  street: Nullable(location.street),
  city: Nullable(location.city),
  postalCode: Nullable(location.postalCode),
}
const fields = {
  name: Name('As shown in reports'),
  shopId: Id('The shop it belongs to'),
  status: Type.Enum(['ACTIVE', 'INACTIVE'], { description: 'An inactive unit gets no ads' }),
  adFormatIds: Type.Array(IdText('An ad format'), {
    maxItems: AD_FORMATS_MAX,
    uniqueItems: true,
    description: 'The formats that it can show',
  }),
}
const businessSlotId = Id("An ad unit of the same shop, made in the panel: it decides the algorithm and the ads' kind")

export const PublisherSlotParams = Type.Object({
  publisherSlotId: Type.String({
    minLength: 1,
    maxLength: PUBLISHER_SLOT_ID_CHARS_MAX,
    pattern: NO_CONTROL_PATTERN,
    description: "The caller's own name of the unit, unique in its account",
  }),
})

export const TechnicalSlotBody = Body({
  id: Type.Optional(Nullable(Id('Of the unit to modify; without it one is created'))),
  publisherSlotId: Type.Optional(
    Nullable(Type.String({ description: 'May be repeated here; must equal the one in the path' })),
  ),
  name: fields.name,
  shopId: fields.shopId,
  status: Type.Optional(Nullable(fields.status)),
  businessSlot: Body({ id: businessSlotId }),
  adFormatIds: Type.Optional(Nullable(fields.adFormatIds)),
  metadata: Type.Optional(Nullable(Body({ location: Type.Optional(Nullable(PatchBody(optionalLocation))) }))),
})

export const TechnicalSlotView = Type.Object({
  id: Id('Given by the service; ad requests may use it as slotHash'),
  publisherSlotId: Type.String({ description: "The caller's own name of the unit" }),
  ...fields,
  businessSlot: Type.Object({ id: businessSlotId }),
  metadata: Type.Object({ location: Type.Object(location) }),
})

/** A technical ad unit in the management API, which only reads them. */
export const TechnicalSlotItem = Type.Object({ ...answered, ...TechnicalSlotView.properties })
export const TechnicalSlotQuery = ListQuery({
  shopId: Type.Optional(Id('Of this shop')),
  businessSlotId: Type.Optional(Id('That this ad unit decides for')),
})
