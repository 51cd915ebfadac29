import multipart from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { Content } from '../../../schemas/http/content.ts'
import {
  ImageAccount,
  ImageParams,
  ImageQuery,
  ImageUpload,
  ImageView,
} from '../../../schemas/http/panel/campaigns/banners.ts'
import { IMAGE_BYTES_MAX } from '../../../schemas/http/panel/limits.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { imageUrl, mediaTypes } from '../../domain/campaign/image.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { createLimiter } from '../resources/limiter.ts'
import { ownAccount } from '../resources/own-account.ts'
import { type ResourceDeps, readRoutes } from '../resources/resource.ts'
import { createShares } from '../resources/shares.ts'
import { changed, created, type EntityChange, type Registry } from '../resources/store.ts'
import { principalOf } from '../rights/auth.ts'
import { type EncodedImage, encodeImage } from './encode.ts'
import type { ImageFiles } from './files.ts'
import { readUpload, UPLOAD_LIMITS } from './upload.ts'

export interface ImagesAppDeps extends ResourceDeps {
  log: EventLog
  images: ImageFiles
  /** The server's address as browsers see it. */
  publicUrl: string
}

/** Images encoded at once. Each occupies one of libuv's four threads, which also read and write files. */
const ENCODINGS_MAX = 2
const WAITING_MAX = 30
const SHARES = { what: 'image uploads', max: ENCODINGS_MAX + WAITING_MAX, ofAccountMax: 8, retryAfterSeconds: 10 }
const CACHE_CONTROL = 'public, max-age=31536000, immutable'
const RETRY_AFTER_SECONDS = 2

/** Images of banners: accounts upload, list and read their own; anyone may read the content. */
export function imagesApp(deps: ImagesAppDeps) {
  return async (server: HttpServer): Promise<void> => {
    await server.register(multipart, { limits: UPLOAD_LIMITS })
    uploadRoute(server, deps)
    readRoutes(server, deps, {
      kind: 'Image',
      path: 'images',
      schemas: { view: ImageView, query: ImageQuery },
      views: (entities) => entities.map((entity) => view(entity, deps.publicUrl)),
    })
    accountRoute(server, deps)
    contentRoute(server, deps)
  }
}

function uploadRoute(server: HttpServer, deps: ImagesAppDeps): void {
  const { access, authorize, publicUrl } = deps
  const limited = createLimiter({ running: ENCODINGS_MAX, waiting: WAITING_MAX })
  const shares = createShares(SHARES)
  server.post(
    '/v1/panel/images',
    {
      onRequest: authorize('panel'),
      // A multipart form is not JSON, so the schema is documentation only.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'uploadImage',
        summary: 'Upload an image',
        description:
          `One file of at most ${IMAGE_BYTES_MAX} bytes. The image is encoded again, without its metadata. Uploading the same ` +
          'image again gives the same id.',
        consumes: ['multipart/form-data'],
        body: ImageUpload,
        response: { 201: ImageView },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { file, accountId } = await readUpload(request as FastifyRequest)
      const fieldErrors = new FieldErrors()
      const account = ownAccount({ access, principal, accountId, fieldErrors })
      fieldErrors.check(file !== null, '/file', 'is required')
      fieldErrors.throwIfAny()
      const end = shares.begin(account!.id)
      const image = await limited(() => encodeImage(file!)).finally(end)
      if ('fault' in image) fieldErrors.add('/file', image.fault)
      fieldErrors.throwIfAny()
      const entity = await keep(deps, image as EncodedImage, { accountId: account!.id, by: principal.actorId })
      const answer = view(entity, publicUrl)
      return reply.code(201).header('location', `/v1/panel/images/${entity.id}`).send(answer)
    },
  )
}

/** Stores the content first and then the entity, so that every image in the registry can be served. */
async function keep(
  { log, images, registry }: { log: EventLog; images: ImageFiles; registry: Registry },
  image: EncodedImage,
  { accountId, by }: { accountId: string; by: string },
): Promise<Entity<'Image'>> {
  const { snapshot } = registry
  const id = Buffer.from(await crypto.subtle.digest('SHA-256', image.bytes as Uint8Array<ArrayBuffer>)).toString(
    'base64url',
  )
  const stored = snapshot.get('Image', id)
  // The write checks it, too, but the content would be stored before.
  if (!stored?.body.accountIds.includes(accountId)) registry.checkRoom('Image', accountId)
  if (!stored) {
    await log.append([{ topic: 'images', key: id, value: encode('Image', { id, ...image }) }])
    await images.catchUp().catch(refuseWithoutRoom)
  }
  await registry.write(
    () => {
      const known = snapshot.get('Image', id)
      if (known) return usedBy(known, accountId)
      return [created('Image', id, { ...image, bytes: image.bytes.length, accountIds: [accountId] })]
    },
    { by },
  )
  return snapshot.get('Image', id)!
}

/** What lets an account use an image. */
function usedBy(image: Entity<'Image'>, accountId: string): EntityChange[] {
  const { accountIds } = image.body
  return accountIds.includes(accountId)
    ? []
    : [changed(image, { ...image.body, accountIds: [...accountIds, accountId] })]
}

function accountRoute(server: HttpServer, { access, authorize, registry, publicUrl }: ImagesAppDeps): void {
  server.post(
    '/v1/panel/images/:id/accounts',
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'addImageAccount',
        summary: 'Let a further account use an image',
        description:
          'For a banner that is copied to another advertiser. Nothing changes if the account may use it already.',
        params: ImageParams,
        body: ImageAccount,
        response: { 200: ImageView },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { id } = request.params
      const { accountId } = request.body
      await registry.write(
        () => {
          access.need(principal, 'Account', accountId)
          return usedBy(access.needToChange(principal, 'Image', id), accountId)
        },
        { by: principal.actorId },
      )
      return view(access.need(principal, 'Image', id), publicUrl)
    },
  )
}

function refuseWithoutRoom(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOSPC') throw error
  throw new Problem('UNAVAILABLE', 'There is not enough disk space to store the image', { cause: error })
}

function contentRoute(server: HttpServer, { registry, images }: ImagesAppDeps): void {
  server.get(
    '/v1/images/:id',
    {
      schema: {
        operationId: 'getImageContent',
        summary: 'Read the content of an image',
        description:
          'For browsers. No token is needed. The content of an id never changes, so it may be cached for ever.',
        params: ImageParams,
        response: { 200: Content('The image', ...Object.values(mediaTypes)) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const image = registry.snapshot.body('Image', id)
      if (!image) throw new Problem('NOT_FOUND', `There is no image ${id}`)
      const etag = `"${id}"`
      reply.headers({ etag, 'cache-control': CACHE_CONTROL, 'x-content-type-options': 'nosniff' })
      if (request.headers['if-none-match']?.includes(etag)) return (reply as FastifyReply).code(304).send()
      const content = await images.read(id)
      if (!content) {
        reply.removeHeader('cache-control').removeHeader('etag')
        throw new Problem('UNAVAILABLE', 'The image is temporarily unavailable', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        })
      }
      return reply
        .type(mediaTypes[image.mediaType])
        .header('content-length', image.bytes)
        .send(content as never)
    },
  )
}

function view({ id, body }: Entity<'Image'>, publicUrl: string) {
  const { mediaType, width, height, bytes } = body
  return { id, mediaType: mediaTypes[mediaType], width, height, bytes, url: imageUrl(publicUrl, id) }
}
