import {
  SigningKeyCreate,
  SigningKeyPatch,
  SigningKeyQuery,
  SigningKeyView,
} from '../../../schemas/http/panel/shops/shops.ts'
import { Problem } from '../../domain/errors.ts'
import { newSigningSecret } from '../../domain/identity/event-signature.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { recentlyAuthenticated } from '../access/sessions/reauthentication.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { ownShop } from '../resources/own-shop.ts'
import { type ChangeableResource, changeRoutes, type ResourceDeps, readRoutes } from '../resources/resource.ts'
import { created, type EntityChange, removed } from '../resources/store.ts'
import { accountOf } from '../rights/account-of.ts'
import { principalOf } from '../rights/auth.ts'
import { inShop } from '../rights/indexes.ts'

/** A rotation needs two keys; pages that use keys of their own need a few more. */
const KEYS_OF_SHOP_MAX = 20

export interface SigningKeyDeps extends ResourceDeps {
  randomBytes: (size: number) => Buffer
  now: () => number
}

/**
 * Keys with which a shop's pages sign events. Only the answer that creates a key contains its secret. The secret is stored
 * unhashed, because signatures are checked with it. To rotate a key, create the next one, use it, then delete the old one.
 */
export function signingKeyRoutes(server: HttpServer, deps: SigningKeyDeps): void {
  const { registry, access, authorize, uuid, randomBytes, now, securityLog } = deps
  server.post(
    '/v1/panel/signing-keys',
    {
      onRequest: [authorize('panel'), recentlyAuthenticated(now)],
      schema: {
        operationId: 'createSigningKey',
        summary: 'Create a signing key',
        body: SigningKeyCreate,
        response: { 201: SigningKeyView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { shopId, name } = request.body
      const secret = newSigningSecret(randomBytes)
      const [entry] = await registry.write(
        () => {
          access.needInForce(principal)
          const fieldErrors = new FieldErrors()
          ownShop({ access, principal, shopId, fieldErrors })
          fieldErrors.throwIfAny()
          const others = [...registry.snapshot.under(inShop.SigningKey, shopId)]
          if (others.length >= KEYS_OF_SHOP_MAX) {
            throw new Problem('CONFLICT', `The shop has ${KEYS_OF_SHOP_MAX} signing keys: delete one first`)
          }
          return [created('SigningKey', uuid(), { shopId, name, secret })]
        },
        { by: principal.actorId },
      )
      await securityLog.record(request, {
        kind: 'SIGNING_KEY_CREATED',
        accountId: accountOf(registry.snapshot, entry!),
        subject: { kind: 'SigningKey', id: entry!.id },
      })
      reply.header('location', `/v1/panel/signing-keys/${entry!.id}`).header('cache-control', 'no-store')
      return reply.code(201).send({ ...view(entry as Entity<'SigningKey'>), secret })
    },
  )
  readRoutes(server, deps, signingKeys)
  changeRoutes(server, deps, signingKeys)
}

const signingKeys: ChangeableResource<'SigningKey', typeof SigningKeyPatch> = {
  kind: 'SigningKey',
  path: 'signing-keys',
  schemas: { patch: SigningKeyPatch, view: SigningKeyView, query: SigningKeyQuery },
  change: ({ body }, input) => ({ ...body, ...input }),
  blockedBy: () => [],
  removal: (key) => [removedKey(key)],
  views: (entities) => entities.map(view),
}

/** The key marked as deleted, without its secret. */
export const removedKey = (key: Entity<'SigningKey'>): EntityChange => removed(key, { ...key.body, secret: '' })

function view(key: Entity<'SigningKey'>) {
  const { shopId, name } = key.body
  return { ...entityFields(key), shopId, name }
}
