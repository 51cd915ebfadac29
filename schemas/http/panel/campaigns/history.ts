import { type Static, Type } from 'typebox'
import { Nullable, Time } from '../common.ts'

export const HISTORY_LIMIT_DEFAULT = 20
/** Kept low, because each entry is a record that is read from the log. */
const HISTORY_LIMIT_MAX = 50
/** Values longer than this as JSON are left out: a campaign may list thousands of products. */
export const VALUE_CHARS_MAX = 2_000

export const HistoryQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: HISTORY_LIMIT_MAX,
        description: `Maximum number of changes on a page. Default: ${HISTORY_LIMIT_DEFAULT}`,
      }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 20, description: 'nextCursor of the previous page' })),
  },
  { additionalProperties: false },
)

const Value = (description: string) => Type.Unknown({ description })

const FieldChange = Type.Object({
  field: Type.String({ description: 'Name of the property in this API' }),
  before: Value('Value before the change; null if there was none'),
  after: Value('Value after the change'),
  omitted: Type.Boolean({
    description: `True if one of the values has over ${VALUE_CHARS_MAX} characters as JSON. Both are null then`,
  }),
})

export const CampaignChange = Type.Object({
  version: Type.Integer({ description: 'Version of the campaign after the change' }),
  at: Time('When the change was made'),
  byName: Nullable(
    Type.String({ description: 'Name of the user who made the change, or of the account of the access token' }),
  ),
  changes: Type.Array(FieldChange, {
    description: 'The properties that were changed. Empty for the creation of the campaign',
  }),
})
export type CampaignChange = Static<typeof CampaignChange>
export type FieldChange = Static<typeof FieldChange>
