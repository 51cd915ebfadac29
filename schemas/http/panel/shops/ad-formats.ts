import { Type } from 'typebox'
import { NO_CONTROL_PATTERN } from '../../text.ts'
import { answered, Body, Id, ListQuery, Name, Nullable } from '../common.ts'

export const FORMAT_IMAGES_MAX = 10
export const FORMAT_TEXT_FIELDS_MAX = 20
export const TEXT_FIELD_CHARS_MAX = 1_000
const TYPE_CHARS_MAX = 50
const FORMAT_SIDE_PIXELS_MAX = 4_096

export const TextFieldType = Type.String({
  maxLength: TYPE_CHARS_MAX,
  pattern: '^[A-Z][A-Z0-9_]*$',
  description: 'TITLE, CTA, BG_COLOR, or a name of its own in capitals. Types that end in _COLOR hold colours: #1a2b3c',
})
const Side = (description: string) => Type.Integer({ minimum: 1, maximum: FORMAT_SIDE_PIXELS_MAX, description })
const size = { width: Side('Pixels'), height: Side('Pixels') }
const imageName = Type.String({
  minLength: 1,
  maxLength: TYPE_CHARS_MAX,
  pattern: NO_CONTROL_PATTERN,
  description: 'Which of the images it is',
})

const name = Name('As shown in the panel')
const textFields = Type.Array(
  Body({
    type: TextFieldType,
    required: Type.Boolean({ description: 'Whether a banner without it is refused' }),
    maxLength: Type.Integer({ minimum: 1, maximum: TEXT_FIELD_CHARS_MAX, description: 'Characters' }),
  }),
  { maxItems: FORMAT_TEXT_FIELDS_MAX, description: 'The texts that a banner may or must have, each type once' },
)

export const AdFormatCreate = Body({
  shopId: Id('Its shop'),
  name,
  images: Type.Array(Body({ name: Type.Optional(imageName), ...size }), {
    maxItems: FORMAT_IMAGES_MAX,
    description: 'The images that a banner must have, in this order and of exactly these sizes',
  }),
  textFields,
})
/** Empty, because no field of a format can be changed. */
export const AdFormatPatch = Type.Object({}, { description: 'An ad format never changes: this answers 409' })
export const AdFormatView = Type.Object({
  ...answered,
  shopId: Id('Its shop'),
  name,
  images: Type.Array(Type.Object({ name: Nullable(imageName), ...size })),
  textFields,
})
export const AdFormatQuery = ListQuery({ shopId: Type.Optional(Id('Of this shop')) })
