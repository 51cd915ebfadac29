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
        description: `Changes of a page, ${HISTORY_LIMIT_DEFAULT} without it`,
      }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 20, description: 'nextCursor of the page before' })),
  },
  { additionalProperties: false },
)

const Value = (description: string) => Type.Unknown({ description })

const FieldChange = Type.Object({
  field: Type.String({ description: 'A property of the campaign, as this API names it' }),
  before: Value('Its value before; null: there was none'),
  after: Value('Its value after'),
  omitted: Type.Boolean({ description: `True: a value has over ${VALUE_CHARS_MAX} characters, and both are null` }),
})

export const CampaignChange = Type.Object({
  version: Type.Integer({ description: 'Of the campaign after it' }),
  at: Time('When it was made'),
  byName: Nullable(Type.String({ description: 'The user who made it, or the account of the access token' })),
  changes: Type.Array(FieldChange, { description: 'What it changed; empty: it made the campaign' }),
})
export type CampaignChange = Static<typeof CampaignChange>
export type FieldChange = Static<typeof FieldChange>
