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
