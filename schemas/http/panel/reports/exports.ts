import { type Static, Type } from 'typebox'
import { IdText } from '../common.ts'
import { PERIOD_DAYS_MAX } from '../limits.ts'

/** Views of docs/data.md that can be downloaded as a file. */
export const exportedViews = [
  'v_impressions',
  'v_clicks',
  'v_events',
  'v_orders',
  'v_attributed_sales',
  'v_campaign_days',
] as const
export type ExportedView = (typeof exportedViews)[number]

const Moment = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

export const ExportParams = Type.Object({
  view: Type.Enum([...exportedViews], { description: 'The view to export. docs/data.md describes each' }),
})

export const ExportQuery = Type.Object(
  {
    shopId: IdText('The shop'),
    from: Moment(
      "Start of the period, inclusive. A date is the start of that day in the shop's time zone. v_campaign_days takes only dates",
    ),
    to: Moment(`End of the period, exclusive, in the form of \`from\`. At most ${PERIOD_DAYS_MAX} days later`),
  },
  { additionalProperties: false },
)
export type ExportQuery = Static<typeof ExportQuery>
