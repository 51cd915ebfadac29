import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { IMAGE_BYTES_MAX } from '../../../../schemas/http/panel/limits.ts'
import { mountSmallDisk } from '../../../engines/faults/world/small-disk.ts'
import {
  type Answer,
  BOOTSTRAP_TOKEN,
  discard,
  type Office,
  openAccount,
  openOffice,
  PUBLIC_URL,
  paths,
} from '../office.ts'
import { form, hugePng, picture, upload, withMetadata } from './pictures.ts'

const SIZE = { width: 40, height: 20 }
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe('images', () => {
  let office: Office
  let brand: Awaited<ReturnType<typeof openAccount>>
  let other: Awaited<ReturnType<typeof openAccount>>
  let png: Buffer
  const get = (id: string, headers: Record<string, string> = {}) =>
    office.server.inject({ method: 'GET', url: `/v1/images/${id}`, headers })

  beforeAll(async () => {
    office = await openOffice()
    brand = await openAccount(office, 'ADVERTISER')
    other = await openAccount(office, 'ADVERTISER')
    png = await picture('png', SIZE)
  })
  afterAll(() => discard(office))

  it('are uploaded, known by their content and served to anyone, for ever', async () => {
    const { status, body, headers } = await upload(office, brand.token, png)
    expect(status).toBe(201)
    const { id, bytes } = body
    expect(body).toEqual({ id, mediaType: 'image/png', ...SIZE, bytes, url: `${PUBLIC_URL}/v1/images/${id}` })
    expect(headers.location).toBe(`/v1/panel/images/${id}`)

    const served = await get(id)
    expect(served.statusCode).toBe(200)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      etag: `"${id}"`,
    })
    expect(createHash('sha256').update(served.rawPayload).digest('base64url')).toBe(id)
    expect((await sharp(served.rawPayload).metadata()).width).toBe(40)
    const again = await get(id, { 'if-none-match': `"${id}"` })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    const head = await office.server.inject({ method: 'HEAD', url: `/v1/images/${id}` })
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, String(bytes), ''])
  })

  it('are told of to the accounts that uploaded them, and to the operator', async () => {
    const { body } = await upload(office, brand.token, await picture('webp', SIZE))
    const read = (token: string) => office.call('GET', `/v1/panel/images/${body.id}`, undefined, token)
    expect(await read(brand.token)).toMatchObject({ status: 200, body })
    expect((await read(BOOTSTRAP_TOKEN)).status).toBe(200)
    expect((await read(other.token)).status).toBe(404)
    const list = await office.call('GET', '/v1/panel/images', undefined, other.token)
    expect(list.body.items).toEqual([])
    expect((await upload(office, other.token, await picture('webp', SIZE))).body).toEqual(body)
    expect((await read(other.token)).body).toEqual(body)
    expect((await upload(office, brand.token, await picture('webp', SIZE))).status).toBe(201)
    expect(office.registry.snapshot.get('Image', body.id)).toMatchObject({
      version: 2,
      body: { accountIds: [brand.id, other.id] },
    })
  })

  it('are given by the operator to a further account, for a banner that is copied, and by nobody else', async () => {
    const { body: image } = await upload(office, brand.token, await picture('jpeg', SIZE))
    const give = (token: string, accountId: string, id = image.id) =>
      office.call('POST', `/v1/panel/images/${id}/accounts`, { accountId }, token)
    const seenByOther = async () =>
      (await office.call('GET', `/v1/panel/images/${image.id}`, undefined, other.token)).status
    expect((await give(brand.token, other.id)).status).toBe(404)
    expect((await give(other.token, other.id)).status).toBe(404)
    expect((await give(BOOTSTRAP_TOKEN, UNKNOWN)).status).toBe(404)
    expect((await give(BOOTSTRAP_TOKEN, other.id, 'unknown')).status).toBe(404)
    expect(await seenByOther()).toBe(404)
    for (let i = 0; i < 2; i++)
      expect(await give(BOOTSTRAP_TOKEN, other.id)).toMatchObject({ status: 200, body: image })
    expect(await seenByOther()).toBe(200)
    expect(office.registry.snapshot.get('Image', image.id)).toMatchObject({
      version: 2,
      body: { accountIds: [brand.id, other.id] },
    })
  })

  it('are uploaded for an account by the operator', async () => {
    const to = (accountId?: string) => upload(office, BOOTSTRAP_TOKEN, png, { fields: accountId ? { accountId } : {} })
    expect((await to(other.id)).status).toBe(201)
    for (const accountId of [undefined, UNKNOWN, 'x']) {
      const answer = await to(accountId)
      expect([answer.status, paths(answer)]).toEqual([400, ['/accountId']])
    }
    const foreign = await upload(office, brand.token, png, { fields: { accountId: other.id } })
    expect(paths(foreign)).toEqual(['/accountId'])
  })

  it('of one account leave room for those of others, however many come at once', async () => {
    const many = Array.from({ length: 40 }, () => upload(office, brand.token, png))
    expect((await upload(office, other.token, png)).status).toBe(201)
    const statuses = (await Promise.all(many)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([201, 429]))
  })

  it('go by their content, whatever their name and declared type say', async () => {
    const named = await upload(office, brand.token, png, { name: 'page.html', type: 'text/html' })
    expect(named).toMatchObject({ status: 201, body: { mediaType: 'image/png' } })
    expect((await get(named.body.id)).headers['content-type']).toBe('image/png')
    const page = Buffer.from('<html></html>')
    const answer = await upload(office, brand.token, page, { name: 'image.png', type: 'image/png' })
    expect([answer.status, answer.body.code, paths(answer)]).toEqual([400, 'INVALID', ['/file']])
    expect(answer.body.errors[0].message).toBe('is not a PNG, JPEG or WEBP image')
  })

  it('are served without what they say of people and places', async () => {
    const { body } = await upload(office, brand.token, await withMetadata('jpeg'))
    const served = (await get(body.id)).rawPayload
    expect(served.includes('SECRETNAME') || served.includes('Exif')).toBe(false)
  })

  it.each([
    ['a bomb', () => hugePng(30_000, 30_000), 400],
    ['a part of an image', () => png.subarray(0, png.length - 20), 400],
    ['nothing', () => Buffer.alloc(0), 400],
    ['no file', () => null, 400],
    ['a file over the limit', () => Buffer.concat([png, Buffer.alloc(IMAGE_BYTES_MAX)]), 413],
  ])('refuse %s, and store nothing', async (_name, file, status) => {
    const before = await office.log.bounds('images')
    const answer = await upload(office, brand.token, file())
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    if (status === 400) expect(paths(answer)).toEqual(['/file'])
    expect(await office.log.bounds('images')).toEqual(before)
  })

  it('are so many of an account, and no more', async () => {
    const full = await openAccount(office, 'ADVERTISER')
    const own = await picture('png', { width: 30, height: 30 })
    const { id } = (await upload(office, full.token, own)).body
    const entry = { kind: 'Image', version: 1, updatedAt: 0, updatedBy: 'x', deletedAt: null } as const
    const body = { mediaType: 'PNG', ...SIZE, bytes: 1 } as const
    for (let i = 1; i < 10_000; i++) {
      office.registry.snapshot.apply({ ...entry, id: `image-${i}`, body: { ...body, accountIds: [full.id] } })
    }
    const answer = await upload(office, full.token, png)
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect(await upload(office, full.token, own)).toMatchObject({ status: 201, body: { id } })
    const before = await office.log.bounds('images')
    const another = await picture('png', { width: 31, height: 31 })
    expect((await upload(office, full.token, another)).status).toBe(409)
    expect(await office.log.bounds('images')).toEqual(before)
    expect((await upload(office, brand.token, png)).status).toBe(201)
    for (let i = 1; i < 10_000; i++) office.registry.snapshot.forget('Image', `image-${i}`)
  })

  it('refuse forms that are none', async () => {
    const send = (payload: Buffer | string, headers: Record<string, string>) =>
      office.server
        .inject({
          method: 'POST',
          url: '/v1/panel/images',
          headers: { authorization: `Bearer ${brand.token}`, ...headers },
          payload,
        })
        .then((answer) => [answer.statusCode, answer.json().code, ...paths({ body: answer.json() } as Answer)])
    const { payload, headers } = form(png, {})
    expect(await send(payload.subarray(0, payload.length - 60), headers)).toEqual([400, 'INVALID', '/'])
    expect(await send(payload, { 'content-type': 'multipart/form-data' })).toEqual([400, 'INVALID', '/'])
    expect(await send('', headers)).toEqual([400, 'INVALID', '/file'])
    expect(await send(png, { 'content-type': 'image/png' })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(await send('{}', { 'content-type': 'application/json' })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    const two = Buffer.concat([payload.subarray(0, payload.lastIndexOf('--a-boundary')), payload])
    expect(await send(two, headers)).toEqual([413, 'TOO_LARGE'])
    const strange = form(png, { fields: { __proto__x: '1' } })
    expect(await send(strange.payload, headers)).toEqual([400, 'INVALID', '/__proto__x'])
  })

  it('leave the connection to the next request when a file is refused before all of it has come', async () => {
    await office.server.listen({ port: 0 })
    const { payload, headers } = form(Buffer.alloc(4 * IMAGE_BYTES_MAX), {})
    const head = { ...headers, authorization: `Bearer ${brand.token}`, 'content-length': payload.length, host: 'x' }
    const socket = connect((office.server.server.address() as AddressInfo).port)
    const statuses: string[] = []
    socket.on('data', (data) => statuses.push(...(data.toString().match(/(?<=HTTP\/1\.1 )\d+/g) ?? [])))
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST /v1/panel/images HTTP/1.1\r\n${lines.join('')}\r\n`)
    socket.write(payload)
    socket.write('GET /v1/images/x HTTP/1.1\r\nhost: x\r\n\r\n')
    await expect.poll(() => statuses).toEqual(['413', '404'])
    socket.destroy()
  })

  it('need a token to be uploaded, and none to be seen; unknown ones are not there', async () => {
    const { payload, headers } = form(png, {})
    const answer = await office.server.inject({ method: 'POST', url: '/v1/panel/images', headers, payload })
    expect(answer.statusCode).toBe(401)
    for (const id of ['x', '..%2fposition', 'position', 'a'.repeat(43)]) expect((await get(id)).statusCode).toBe(404)
  })

  it('are served by the next start, from the log alone', async () => {
    const { body } = await upload(office, brand.token, png)
    await office.stop()
    await rm(`${office.folder}/images`, { recursive: true })
    office = await openOffice({ folder: office.folder })
    expect((await get(body.id)).statusCode).toBe(200)
    const read: Answer = await office.call('GET', `/v1/panel/images/${body.id}`)
    expect(read.body).toEqual(body)
  })
})

it.skipIf(process.getuid?.() !== 0)('an image is taken again once the disk has room', async () => {
  const office = await openOffice()
  const { token } = await openAccount(office, 'ADVERTISER')
  const png = await picture('png', SIZE)
  const disk = await mountSmallDisk(`${office.folder}/images`, { sizeMb: 1 })
  onTestFinished(async () => {
    await office.stop()
    await disk.remove()
    await rm(office.folder, { recursive: true })
  })
  await disk.fill()
  const refused = await upload(office, token, png)
  expect(refused).toMatchObject({ status: 503, body: { detail: 'There is not enough disk space to store the image' } })
  expect(refused.headers).toHaveProperty('retry-after')
  await disk.free()
  const { status, body } = await upload(office, token, png)
  expect(status).toBe(201)
  expect((await office.server.inject({ method: 'GET', url: `/v1/images/${body.id}` })).statusCode).toBe(200)
})
