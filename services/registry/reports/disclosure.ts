import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import {
  invalidVerdicts,
  type ReportDisclosure,
  type ReportQuery,
} from '../../../schemas/http/panel/reports/reports.ts'
import type { Entity } from '../../domain/snapshot.ts'
import { trafficRulesOf } from '../../domain/traffic-rules.ts'
import type { Principal } from '../rights/auth.ts'
import type { ReportRequest } from './request.ts'

/**
 * How the figures of a report are made, by the current settings of its shops. Only those who run the shops learn which rules
 * against invalid traffic apply; advertisers are told only that there are rules.
 */
export function disclosureOf(
  { whatIf }: Pick<ReportRequest, 'whatIf'>,
  shops: readonly Entity<'Shop'>[],
  principal: Principal,
): ReportDisclosure {
  const windows = shops.map(({ body }) => ({
    clickWindowHours: whatIf?.clickWindowHours ?? body.clickWindowHours,
    viewWindowHours: whatIf?.viewWindowHours ?? body.viewWindowHours,
  }))
  const rules = shops.flatMap(({ body }) => Object.entries(trafficRulesOf(body.invalidTraffic)))
  const refusing = new Set(rules.flatMap(([name, { mode }]) => (mode === 'REFUSE' ? [name] : [])))
  return {
    attributionModel: whatIf?.model ?? 'LAST_TOUCH',
    attributionWindows: [...new Map(windows.map((each) => [JSON.stringify(each), each])).values()],
    timeZones: [...new Set(shops.map(({ body }) => body.timeZone))],
    notCounted: [...invalidVerdicts],
    refusingRules: principal.role === 'ADVERTISER' ? null : [...refusing].sort(),
  }
}

/** A CSV table, preceded by lines that say how its figures are made and by an empty line. */
export function belowDisclosure(
  disclosure: ReportDisclosure,
  { from, to }: Pick<ReportQuery, 'from' | 'to'>,
  table: Readable,
): Readable {
  const { attributionModel, attributionWindows, timeZones, notCounted, refusingRules } = disclosure
  const windows = attributionWindows.map(
    ({ clickWindowHours, viewWindowHours }) => `${clickWindowHours} h after a click, ${viewWindowHours} h after a view`,
  )
  const lines = [
    ['From', from],
    ['To (exclusive)', to],
    ['Time zone', timeZones.join('; ')],
    ['Attribution model', attributionModel],
    ['Attribution windows', windows.join('; ')],
    ['Not counted, not billed', notCounted.join('; ')],
    ...(refusingRules === null ? [] : [['Rules of INVALID_TRAFFIC', refusingRules.join('; ')]]),
    [''],
  ]
  const above = stringify(lines, { record_delimiter: 'windows', escape_formulas: true })
  return Readable.from(
    (async function* () {
      yield above
      yield* table
    })(),
  )
}
