import { Type } from 'typebox'
import { NO_CONTROL_PATTERN } from '../../text.ts'
import { answered, Body, Id, ListQuery, Name, Nullable } from '../common.ts'
import { FORMAT_IMAGES_MAX, FORMAT_SIDE_PIXELS_MAX, FORMAT_TEXT_FIELDS_MAX, TEXT_FIELD_CHARS_MAX } from '../limits.ts'

const TYPE_CHARS_MAX = 50

export const TextFieldType = Type.String({
  maxLength: TYPE_CHARS_MAX,
  pattern: '^[A-Z][A-Z0-9_]*$',
  description:
    'TITLE, CTA, BG_COLOR, or any other name in capitals. The value of a type that ends in _COLOR is a colour, such as #1a2b3c',
})
const Side = (description: string) => Type.Integer({ minimum: 1, maximum: FORMAT_SIDE_PIXELS_MAX, description })
const size = { width: Side('Pixels'), height: Side('Pixels') }
const imageName = Type.String({
  minLength: 1,
  maxLength: TYPE_CHARS_MAX,
  pattern: NO_CONTROL_PATTERN,
  description: 'Name of the image, which tells it from the others',
})

const name = Name('Name in the panel')
const textFields = Type.Array(
  Body({
    type: TextFieldType,
    required: Type.Boolean({ description: 'Whether a banner must have this text' }),
    maxLength: Type.Integer({ minimum: 1, maximum: TEXT_FIELD_CHARS_MAX, description: 'Maximum number of characters' }),
  }),
  {
    maxItems: FORMAT_TEXT_FIELDS_MAX,
    description: 'The texts that a banner may or must have. Each type may be listed once',
  },
)

export const AdFormatCreate = Body({
  shopId: Id('Shop of the ad format'),
  name,
  images: Type.Array(Body({ name: Type.Optional(imageName), ...size }), {
    maxItems: FORMAT_IMAGES_MAX,
    description: 'The images that a banner must have, in this order and of exactly these sizes',
  }),
  textFields,
})
/** Empty, because no field of a format can be changed. */
export const AdFormatPatch = Type.Object(
  {},
  { description: 'An ad format cannot be changed: the answer is always 409' },
)
export const AdFormatView = Type.Object({
  ...answered,
  shopId: Id('Shop of the ad format'),
  name,
  images: Type.Array(Type.Object({ name: Nullable(imageName), ...size })),
  textFields,
})
export const AdFormatQuery = ListQuery({ shopId: Type.Optional(Id('Only ad formats of this shop')) })
