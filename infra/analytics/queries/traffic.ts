import { countsSql } from './corrections.ts'

/** Row: the ad requests of an hour of the day, as the shop's clock shows it. */
export interface HourTraffic {
  hour: number
  requests: number
}
/** Parameters shopId, timeZone, since. */
export const trafficSql = `
  SELECT toHour(toTimeZone(fromUnixTimestamp64Milli(occurredAt, 'UTC'), {timeZone:String})) AS hour, count() AS requests
  FROM emissions WHERE shopId = {shopId:String} AND occurredAt >= {since:Int64}
  GROUP BY hour`

/** Row: sponsored views and clicks that were valid. A block that was stored twice counts twice until it is merged. */
export interface ClickTraffic {
  views: number
  clicks: number
}
/** Parameters shopId, since. */
export const clickTrafficSql = `
  SELECT countIf(type = 'VIEW') AS views, countIf(type = 'CLICK') AS clicks FROM judged_events
  WHERE shopId = {shopId:String} AND kind = 'SPONSORED' AND ${countsSql} AND occurredAt >= {since:Int64}`
