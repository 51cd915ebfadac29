import { Type } from 'typebox'
import { answered, Body, Id, IdText, ListQuery, Name, Nullable, PatchBody } from './panel/common.ts'
import { NO_CONTROL_PATTERN } from './text.ts'

const PUBLISHER_SLOT_ID_CHARS_MAX = 255
const AD_FORMATS_MAX = 50
const PLACE_CHARS_MAX = 200

/** Technical ad units: `Technical ad unit (slot)` of the interface specification. */

const Place = (description: string) =>
  Type.String({ maxLength: PLACE_CHARS_MAX, description: `${description}. Empty if it was not given` })

const location = {
  country: Place('ISO 3166-1 alpha-2, in capitals. It is used for ad requests that name no country'),
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
  name: Name('Name of the unit in reports'),
  shopId: Id('The shop it belongs to'),
  status: Type.Enum(['ACTIVE', 'INACTIVE'], { description: 'An inactive unit gets no ads' }),
  adFormatIds: Type.Array(IdText('An ad format'), {
    maxItems: AD_FORMATS_MAX,
    uniqueItems: true,
    description: 'Ad formats that the unit can show. An empty list allows all formats of its business slot',
  }),
}
const businessSlotId = Id(
  'Id of an ad unit of the same shop that was made in the panel. It decides the algorithm and the kind of ads',
)

export const PublisherSlotParams = Type.Object({
  publisherSlotId: Type.String({
    minLength: 1,
    maxLength: PUBLISHER_SLOT_ID_CHARS_MAX,
    pattern: NO_CONTROL_PATTERN,
    description: "The caller's own id of the unit, unique in its account",
  }),
})

export const TechnicalSlotBody = Body({
  id: Type.Optional(Nullable(Id('Id of the unit to modify. Without it, a new unit is created'))),
  publisherSlotId: Type.Optional(
    Nullable(Type.String({ description: 'May be repeated here. It must equal the one in the path' })),
  ),
  name: fields.name,
  shopId: fields.shopId,
  status: Type.Optional(Nullable(fields.status)),
  businessSlot: Body({ id: businessSlotId }),
  adFormatIds: Type.Optional(Nullable(fields.adFormatIds)),
  metadata: Type.Optional(Nullable(Body({ location: Type.Optional(Nullable(PatchBody(optionalLocation))) }))),
})

export const TechnicalSlotView = Type.Object({
  id: Id('Id given by the service. Ad requests use it as slotHash'),
  publisherSlotId: Type.String({ description: "The caller's own id of the unit" }),
  ...fields,
  businessSlot: Type.Object({ id: businessSlotId }),
  metadata: Type.Object({ location: Type.Object(location) }),
})

/** A technical ad unit in the management API, which only reads them. */
export const TechnicalSlotItem = Type.Object({ ...answered, ...TechnicalSlotView.properties })
export const TechnicalSlotQuery = ListQuery({
  shopId: Type.Optional(Id('Only units of this shop')),
  businessSlotId: Type.Optional(Id('Only units whose business slot is this ad unit')),
})
