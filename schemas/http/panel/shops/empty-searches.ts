import { Type } from 'typebox'
import { Nullable, Time } from '../common.ts'

/** The log keeps searches for this long. */
export const DAYS_MAX = 30
const LIMIT_MAX = 200

export const EmptySearchesQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: DAYS_MAX, description: `Number of days to look back. Default: ${DAYS_MAX}` }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: 'Maximum number of phrases. Default: 100' }),
    ),
  },
  { additionalProperties: false },
)

export const EmptySearches = Type.Object({
  since: Time('Searches are counted from this time on'),
  items: Type.Array(
    Type.Object({
      phrase: Type.String({ description: 'What was searched for, in lower case' }),
      searches: Type.Integer({
        description: 'Number of searches. Each process counts repeats by one browser within ten minutes once',
      }),
      people: Type.Integer({ description: 'Number of different browsers' }),
      lastAt: Time('Time of the last search'),
      products: Nullable(
        Type.Boolean({
          description:
            'Whether the shop now has products for the phrase. No campaign advertised any of them. null if the product index is ' +
            'unavailable',
        }),
      ),
      spelling: Nullable(
        Type.String({ description: 'Nearest spelling for which the shop has products; null if there is none' }),
      ),
    }),
    { description: 'The phrases that most browsers searched for come first. Phrases of a single browser are left out' },
  ),
})
