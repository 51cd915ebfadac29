import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type AddressesRow,
  addressesSql,
  VOIDED_AT_ONCE_MAX,
  type VoidableRow,
  type VoidRow,
  voidableQuery,
  voidsQuery,
} from '../../../infra/analytics/queries/corrections.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import {
  AddressesView,
  VoidCreate,
  VoidList,
  VoidQuery,
  VoidView,
} from '../../../schemas/http/panel/reports/invalid-traffic.ts'
import type { EventCorrection } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { Problem } from '../../domain/errors.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { HttpServer } from '../../http/server.ts'
import { toEpochMs, toIso } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { onlyRoles, operatorOnly } from '../rights/roles.ts'

const ADDRESSES_PATH = '/v1/panel/invalid-traffic/addresses'
const PATH = '/v1/panel/invalid-traffic/voids'

/** Advertisers need not list voids, because their reports show what was credited back. */
const shopsOnly = onlyRoles(['OPERATOR', 'PUBLISHER'], 'Only the publisher of a shop can void its events')

export interface InvalidTrafficDeps {
  log: Pick<EventLog, 'append'>
  analytics: Analytics
  access: Access
  authorize: Authorize
  /** UTC epoch milliseconds. */
  now: () => number
  uuid: () => string
}

/** POST and GET /v1/panel/invalid-traffic/voids, for invalid events that were found out only after they were billed. */
export function invalidTrafficApp(deps: InvalidTrafficDeps) {
  const { analytics, access, authorize } = deps
  return async (server: HttpServer): Promise<void> => {
    server.post(
      PATH,
      {
        onRequest: [authorize('panel'), shopsOnly],
        schema: {
          operationId: 'voidEvents',
          summary: 'Void views and clicks that were counted as valid',
          description:
            `Voids the valid events that meet all the given conditions, at most ${VOIDED_AT_ONCE_MAX}. What was billed for them ` +
            'goes back to the budgets within seconds; reports and attribution follow. This cannot be undone.',
          body: VoidCreate,
          response: { 201: VoidView },
        },
      },
      async (request, reply) => {
        const principal = principalOf(request)
        access.needToChange(principal, 'Shop', request.body.shopId)
        reply.code(201)
        return voidEvents(deps, principal, request.body)
      },
    )
    server.get(
      ADDRESSES_PATH,
      {
        onRequest: [authorize('panel'), operatorOnly],
        schema: {
          operationId: 'countClientAddresses',
          summary: 'Count the events that come with the address of their client',
          description:
            'If only a few do, a proxy is missing in TRUSTED_PROXIES, or a server does not send the addresses of its shoppers.',
          response: { 200: AddressesView },
        },
      },
      async () => {
        const [row] = await analytics.query<AddressesRow>(addressesSql, { since: deps.now() - DAY_MS })
        return row!
      },
    )
    server.get(
      PATH,
      {
        onRequest: [authorize('panel'), shopsOnly],
        schema: {
          operationId: 'listVoids',
          summary: 'List what was voided',
          description: 'Latest first.',
          querystring: VoidQuery,
          response: { 200: VoidList },
        },
      },
      async (request) => {
        const principal = principalOf(request)
        const { shopId } = request.query
        const shops =
          shopId === undefined ? [...access.list(principal, 'Shop')] : [access.need(principal, 'Shop', shopId)]
        const { sql, params } = voidsQuery(shops.map(({ id }) => id))
        const rows = await analytics.query<VoidRow>(sql, params)
        return {
          items: rows.map(({ correctionId, creditedMicros, correctedBy, correctedAt, ...row }) => ({
            ...row,
            id: correctionId,
            creditedBack: fromMicros(Number(creditedMicros)),
            createdBy: correctedBy,
            createdAt: toIso(correctedAt),
          })),
        }
      },
    )
  }
}

async function voidEvents(deps: InvalidTrafficDeps, principal: Principal, asked: VoidCreate) {
  const { log, analytics, now, uuid } = deps
  const { shopId, reason, dryRun = false } = asked
  const { sql, params } = voidableQuery({ shopId, ...conditionsOf(asked) })
  const found = await analytics.query<VoidableRow>(sql, params)
  if (found.length === 0) throw new Problem('INVALID', 'No valid event meets these conditions')
  if (found.length > VOIDED_AT_ONCE_MAX) {
    throw new Problem('TOO_LARGE', `Over ${VOIDED_AT_ONCE_MAX} events meet these conditions: choose a shorter period`)
  }
  const decision = { correctionId: uuid(), shopId, reason, correctedBy: principal.accountId, correctedAt: now() }
  if (!dryRun) await log.append(found.map((event) => recordOf({ ...decision, ...event })))
  return {
    id: dryRun ? null : decision.correctionId,
    ...{ shopId, reason, events: found.length, clicks: found.filter(({ type }) => type === 'CLICK').length },
    creditedBack: fromMicros(found.reduce((sum, { creditedMicros }) => sum + creditedMicros, 0)),
    currency: found[0]!.currency,
    createdBy: decision.correctedBy,
    createdAt: toIso(decision.correctedAt),
  }
}

function conditionsOf({ eventIds, campaignId, cid, requestId, from, to }: VoidCreate) {
  const fieldErrors = new FieldErrors()
  const isNarrowed = [eventIds, campaignId, cid, requestId].some((condition) => condition !== undefined)
  fieldErrors.check(isNarrowed, '/', 'needs one of eventIds, campaignId, cid and requestId')
  const moments = {
    from: from === undefined ? null : toEpochMs(from, '/from', fieldErrors),
    to: to === undefined ? null : toEpochMs(to, '/to', fieldErrors),
  }
  fieldErrors.throwIfAny()
  return {
    eventIds: eventIds ?? null,
    campaignId: campaignId ?? null,
    cid: cid ?? null,
    requestId: requestId ?? null,
    ...moments,
  }
}

function recordOf(correction: EventCorrection) {
  return { topic: 'corrections' as const, key: correction.campaignId, value: encode('EventCorrection', correction) }
}
