import { type Static, Type } from 'typebox'
import {
  PublisherSlotParams,
  TechnicalSlotBody,
  TechnicalSlotItem,
  TechnicalSlotQuery,
  TechnicalSlotView,
} from '../../../schemas/http/slots.ts'
import type { TechnicalSlot } from '../../../schemas/records/entities.ts'
import { isCountry } from '../../domain/codes.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import type { ReadableResource, ResourceDeps } from '../resources/resource.ts'
import { changed, created, removed } from '../resources/store.ts'
import { type Principal, principalOf } from '../rights/auth.ts'
import { checkAdFormats } from './ad-formats.ts'

type Input = Static<typeof TechnicalSlotBody>

const PATH = '/v1/slots/technical/:publisherSlotId'

/** PUT, GET and DELETE of technical ad units. Ad units created in the panel are not visible here. */
export function slotRoutes(server: HttpServer, deps: ResourceDeps): void {
  const { registry, access, authorize, uuid, securityLog } = deps
  const { snapshot } = registry
  const slotOf = slotIndex(snapshot)
  const onRequest = authorize('slots')

  server.put(
    PATH,
    {
      onRequest,
      schema: {
        operationId: 'putTechnicalAdUnit',
        summary: 'Create or modify a technical ad unit',
        description:
          'Without `id`, a new unit is created; if publisherSlotId is already in use, the answer is 409. With `id`, the unit ' +
          'with this id is replaced.',
        params: PublisherSlotParams,
        body: TechnicalSlotBody,
        response: { 201: TechnicalSlotView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { publisherSlotId } = request.params
      const [entry] = await registry.write(
        () => {
          access.needInForce(principal)
          const existing = slotOf(principal.accountId, publisherSlotId)
          checkIdentity(request.body, publisherSlotId, existing)
          const body = toSlot(request.body, { principal, publisherSlotId, status: existing?.body.status ?? 'ACTIVE' })
          return [existing ? changed(existing, body) : created('TechnicalSlot', uuid(), body)]
        },
        { by: principal.actorId },
      )
      return reply.code(201).send(technicalSlotView(entry as Entity<'TechnicalSlot'>))
    },
  )
  server.get(
    PATH,
    {
      onRequest,
      schema: {
        operationId: 'getTechnicalAdUnit',
        summary: 'Read a technical ad unit',
        params: PublisherSlotParams,
        response: { 200: TechnicalSlotView },
      },
    },
    async (request) => technicalSlotView(needSlot(principalOf(request), request.params.publisherSlotId)),
  )
  server.delete(
    PATH,
    {
      onRequest,
      schema: {
        operationId: 'deleteTechnicalAdUnit',
        summary: 'Delete a technical ad unit',
        params: PublisherSlotParams,
        response: { 204: Type.Null({ description: 'It is deleted' }) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { actorId: by, accountId } = principal
      const [entry] = await registry.write(() => [removed(needSlot(principal, request.params.publisherSlotId))], { by })
      const subject = { kind: 'TechnicalSlot' as const, id: entry!.id }
      await securityLog.record(request, { kind: 'DELETED', accountId, subject })
      return reply.code(204).send(null)
    },
  )

  function needSlot({ accountId }: Principal, publisherSlotId: string): Entity<'TechnicalSlot'> {
    const slot = slotOf(accountId, publisherSlotId)
    if (!slot) throw new Problem('NOT_FOUND', `There is no technical ad unit ${publisherSlotId}`)
    return slot
  }

  function toSlot(
    input: Input,
    given: { principal: Principal; publisherSlotId: string; status: TechnicalSlot['status'] },
  ): TechnicalSlot {
    const fieldErrors = new FieldErrors()
    const { name, shopId } = input
    const adFormatIds = input.adFormatIds ?? []
    const shop = ownShop({ access, principal: given.principal, shopId, fieldErrors })
    const businessSlot = snapshot.body('AdUnit', input.businessSlot.id)
    if (shop && businessSlot?.shopId !== shopId) fieldErrors.add('/businessSlot/id', 'is not an ad unit of this shop')
    if (shop) checkAdFormats({ adFormatIds, shopId, snapshot }, fieldErrors)
    const { country, street, city, postalCode } = input.metadata?.location ?? {}
    const path = '/metadata/location/country'
    fieldErrors.check(!country || isCountry(country), path, 'is not an ISO 3166-1 country, in two capitals')
    fieldErrors.throwIfAny()
    return {
      accountId: given.principal.accountId,
      publisherSlotId: given.publisherSlotId,
      shopId,
      name,
      status: input.status ?? given.status,
      businessSlotId: input.businessSlot.id,
      adFormatIds,
      country: country || null,
      street: street || null,
      city: city || null,
      postalCode: postalCode || null,
    }
  }
}

/** @throws Problem INVALID, CONFLICT or NOT_FOUND when the ids in the body do not match the path and the existing slot. */
function checkIdentity(input: Input, publisherSlotId: string, existing: Entity<'TechnicalSlot'> | undefined): void {
  if ((input.publisherSlotId ?? publisherSlotId) !== publisherSlotId) {
    const fieldErrors = new FieldErrors()
    fieldErrors.add('/publisherSlotId', 'is not the one in the path')
    fieldErrors.throwIfAny()
  }
  if ((input.id ?? null) === null) {
    if (existing) {
      const errors = [{ path: '/publisherSlotId', message: 'already in use' }]
      const detail = `The technical ad unit ${publisherSlotId} already exists: send its id to modify it`
      throw new Problem('CONFLICT', detail, { errors })
    }
  } else if (!existing) {
    throw new Problem('NOT_FOUND', `There is no technical ad unit ${publisherSlotId}: omit the id to create it`)
  } else if (existing.id !== input.id) {
    throw new Problem('CONFLICT', `The technical ad unit ${publisherSlotId} has another id than the body names`)
  }
}

/** A technical ad unit as the API shows it. */
function technicalSlotView({ id, body }: Entity<'TechnicalSlot'>): Static<typeof TechnicalSlotView> {
  const { publisherSlotId, name, shopId, status, businessSlotId, adFormatIds, country, street, city, postalCode } = body
  return {
    id,
    publisherSlotId,
    name,
    shopId,
    status,
    businessSlot: { id: businessSlotId },
    adFormatIds,
    metadata: {
      location: { country: country ?? '', street: street ?? '', city: city ?? '', postalCode: postalCode ?? '' },
    },
  }
}

/** Finds technical ad units by account and publisherSlotId. Follows the snapshot. */
function slotIndex(
  snapshot: Snapshot,
): (accountId: string, publisherSlotId: string) => Entity<'TechnicalSlot'> | undefined {
  const ids = new Map<string, string>()
  const keyOf = (slot: TechnicalSlot) => `${slot.accountId}/${slot.publisherSlotId}`
  for (const slot of snapshot.all('TechnicalSlot')) ids.set(keyOf(slot.body), slot.id)
  snapshot.onChange((entry) => {
    // A deletion changes nothing here, because another slot may already have the name.
    if (entry.kind === 'TechnicalSlot' && entry.deletedAt === null) ids.set(keyOf(entry.body), entry.id)
  })
  return (accountId, publisherSlotId) => {
    const isSame = ({ body }: Entity<'TechnicalSlot'>) => keyOf(body) === `${accountId}/${publisherSlotId}`
    for (const slot of snapshot.draftsOf('TechnicalSlot')) if (slot.deletedAt === null && isSame(slot)) return slot
    const id = ids.get(`${accountId}/${publisherSlotId}`)
    return id === undefined ? undefined : snapshot.get('TechnicalSlot', id)
  }
}

/** Technical ad units for the panel to read. They are made and changed by `/v1/slots/technical`. */
export const technicalSlots: ReadableResource<'TechnicalSlot'> = {
  kind: 'TechnicalSlot',
  path: 'technical-slots',
  schemas: { view: TechnicalSlotItem, query: TechnicalSlotQuery },
  views: (entities) => entities.map((entity) => ({ ...entityFields(entity), ...technicalSlotView(entity) })),
}
