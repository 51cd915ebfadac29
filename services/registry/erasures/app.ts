import type { Analytics } from '../../../infra/analytics/port.ts'
import { PAGE_LIMIT_DEFAULT } from '../../../schemas/http/panel/common.ts'
import {
  ErasureCreate,
  ErasurePage,
  ErasureParams,
  ErasureQuery,
  ErasureView,
  PersonalData,
  PersonalDataQuery,
} from '../../../schemas/http/panel/shops/erasures.ts'
import type { Erasure } from '../../../schemas/records/records.ts'
import type { Identifier } from '../../domain/erasure/erasures.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { toIso } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import { latestPageOf } from '../resources/paging.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { onlyRoles } from '../rights/roles.ts'
import type { LoggedRequest, SecurityLog } from '../security-log/security-log.ts'
import type { ErasureStore } from './erasures.ts'
import { createPersonalDataExports } from './personal-data-exports.ts'

const PATH = '/v1/panel/erasures'

const shopsOnly = onlyRoles(
  ['OPERATOR', 'PUBLISHER'],
  'Only the publisher of a shop and the operator can export or erase data of its shoppers',
)

export interface ErasuresAppDeps {
  erasures: ErasureStore
  analytics: Pick<Analytics, 'query'>
  access: Access
  authorize: Authorize
  securityLog: SecurityLog
  /** UTC epoch milliseconds. */
  now: () => number
}

/** Routes for what a shopper may ask of a shop: to be forgotten, and to be told what is known. */
export function erasuresApp({ erasures, analytics, access, authorize, securityLog, now }: ErasuresAppDeps) {
  const onRequest = [authorize('panel'), shopsOnly]
  const beginExport = createPersonalDataExports({ analytics, now })

  /** @throws Problem INVALID, naming the field. */
  function personOf(principal: Principal, asked: ErasureCreate): { shop: Entity<'Shop'>; identifier: Identifier } {
    const { shopId, cid, uid } = asked
    const fieldErrors = new FieldErrors()
    const shop = ownShop({ access, principal, shopId, fieldErrors })
    fieldErrors.check(cid !== undefined || uid !== undefined, '/', 'must have a cid or a uid')
    fieldErrors.check(cid === undefined || uid === undefined, '/uid', 'cannot be combined with cid')
    fieldErrors.throwIfAny()
    return {
      shop: shop!,
      identifier: cid === undefined ? { kind: 'UID', value: uid! } : { kind: 'CID', value: cid },
    }
  }

  /** Records a request in the security log, without the identifier itself. */
  const recordOf = (
    asked: LoggedRequest,
    shop: Entity<'Shop'>,
    kind: 'ERASURE_REQUESTED' | 'PERSONAL_DATA_READ',
    detail: string,
  ) =>
    securityLog.record(asked, {
      ...{ kind, detail },
      accountId: shop.body.accountId,
      subject: { kind: 'Shop', id: shop.id },
    })

  async function visible(principal: Principal): Promise<Erasure[]> {
    const all = await erasures.all()
    return all.filter(({ shopId }) => access.find(principal, 'Shop', shopId) || principal.role === 'OPERATOR')
  }

  return async (server: HttpServer): Promise<void> => {
    server.setSerializerCompiler(() => JSON.stringify)
    server.post(
      PATH,
      {
        onRequest,
        schema: {
          operationId: 'createErasure',
          summary: 'Erase a person',
          description:
            'Replaces the identifier by a random pseudonym in everything recorded until now, which stays counted. Later events of ' +
            'the same identifier are treated as those of a new person. This cannot be undone.',
          body: ErasureCreate,
          response: { 200: ErasureView, 201: ErasureView },
        },
      },
      async (request, reply) => {
        const principal = principalOf(request)
        const { shop, identifier } = personOf(principal, request.body)
        const asked = { shopId: shop.id, identifier, requestedBy: principal.accountId }
        const { erasure, isNew } = await erasures.ask(asked)
        if (isNew) await recordOf(request, shop, 'ERASURE_REQUESTED', erasure.id)
        return reply.code(isNew ? 201 : 200).send(erasureView(erasure))
      },
    )
    server.get(
      PATH,
      {
        onRequest,
        schema: {
          operationId: 'listErasures',
          summary: 'List erasures and their status',
          description: 'The latest first.',
          querystring: ErasureQuery,
          response: { 200: ErasurePage },
        },
      },
      async (request) => {
        const { limit = PAGE_LIMIT_DEFAULT, cursor, shopId } = request.query
        const rows = await visible(principalOf(request))
        const ofShop = shopId === undefined ? rows : rows.filter((each) => each.shopId === shopId)
        const latestFirst = ofShop.toSorted((a, b) => b.requestedAt - a.requestedAt || (a.id < b.id ? 1 : -1))
        const { items, nextCursor } = latestPageOf(latestFirst, ({ requestedAt }) => requestedAt, { limit, cursor })
        return { items: items.map(erasureView), nextCursor }
      },
    )
    server.get(
      `${PATH}/:id`,
      {
        onRequest,
        schema: {
          operationId: 'getErasure',
          summary: 'Read an erasure',
          params: ErasureParams,
          response: { 200: ErasureView },
        },
      },
      async (request) => {
        const { id } = request.params
        const erasure = (await visible(principalOf(request))).find((each) => each.id === id)
        if (!erasure) throw new Problem('NOT_FOUND', `There is no erasure ${id}`)
        return erasureView(erasure)
      },
    )
    server.post(
      '/v1/panel/personal-data',
      {
        onRequest,
        schema: {
          operationId: 'exportPersonalData',
          summary: 'Export all data of a person',
          description:
            'Everything that is stored under a cid or uid, oldest first, and the identifiers that were seen together with it. The ' +
            'identifier is sent in the body, so that it stays out of server logs. The answer is streamed and may be of any length. ' +
            'If the store fails meanwhile, or the answer is not read within ten minutes, the connection is closed before the end ' +
            'of the document, which is then no valid JSON.',
          body: PersonalDataQuery,
          response: { 200: PersonalData },
        },
      },
      async (request, reply) => {
        const principal = principalOf(request)
        const { shop, identifier } = personOf(principal, request.body)
        const name = nameOf(identifier.kind)
        const stream = beginExport({
          accountId: principal.accountId,
          person: { shopId: shop.id, identifier: name, value: identifier.value },
          onAnswer: () => recordOf(request, shop, 'PERSONAL_DATA_READ', name),
        })
        // The route's schema describes the document that is streamed.
        return reply.type('application/json; charset=utf-8').send(stream as never)
      },
    )
  }
}

const nameOf = (kind: Identifier['kind']) => (kind === 'CID' ? ('cid' as const) : ('uid' as const))

function erasureView({ id, shopId, identifier, pseudonym, requestedBy, requestedAt, erasedAt, logFreeAt }: Erasure) {
  return {
    ...{ id, shopId, identifier: nameOf(identifier), pseudonym },
    status: erasedAt === null ? ('PENDING' as const) : ('ERASED' as const),
    createdBy: requestedBy,
    createdAt: toIso(requestedAt),
    erasedAt: erasedAt === null ? null : toIso(erasedAt),
    logFreeAt: logFreeAt === null ? null : toIso(logFreeAt),
  }
}
