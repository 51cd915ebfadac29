import { Type } from 'typebox'
import { Nullable, Time } from '../common.ts'

/** The log keeps searches for this long. */
export const DAYS_MAX = 30
const LIMIT_MAX = 200

export const EmptySearchesQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: DAYS_MAX, description: `Of so many days, ${DAYS_MAX} without it` }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: 'Phrases, 100 without it' })),
  },
  { additionalProperties: false },
)

export const EmptySearches = Type.Object({
  since: Time('From when on searches are counted'),
  items: Type.Array(
    Type.Object({
      phrase: Type.String({ description: 'What was searched for, in lower case' }),
      searches: Type.Integer({ description: 'How often; of one person, at most every ten minutes' }),
      people: Type.Integer({ description: 'By how many browsers' }),
      lastAt: Time('The last time'),
      products: Nullable(
        Type.Boolean({
          description:
            'The shop has products for it now, of which no campaign advertised any; null: the product index does not answer',
        }),
      ),
      spelling: Nullable(
        Type.String({ description: 'The nearest spelling for which the shop has products; null: there is none' }),
      ),
    }),
    { description: 'What most people searched for first; what fewer than two people did is left out' },
  ),
})
