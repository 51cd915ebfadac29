import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Scope } from '../../../schemas/records/accounts.ts'
import { hashToken } from '../../../services/domain/identity/tokens.ts'
import type { Snapshot } from '../../../services/domain/snapshot.ts'
import { SHOP_ID, snapshotOf } from '../../streams/judge/fixtures.ts'
import { intakeOverMemory, NOW, showIdOf } from './intake.fixtures.ts'

const OTHER_SHOP_ID = '99999999-9999-4999-8999-999999999999'
const SECRET = 'endcap_sign_of-the-tests'
const NEW_TOKEN = { expiresAt: null, revokedAt: null, createdBy: null, createdAt: null, lastUsedAt: null }
const BOOTSTRAP = 'the-bootstrap-token-of-the-tests-1234'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

let intake: ReturnType<typeof intakeOverMemory>
let snapshot: Snapshot
beforeEach(() => {
  snapshot = snapshotOf({})
  const entry = { version: 1, updatedAt: 0, updatedBy: 'x', deletedAt: null }
  const profile = { companyName: '', taxNumber: '', sellerIds: [], displayEnabled: false }
  for (const [id, kind] of [
    ['account', 'PUBLISHER'],
    ['rival', 'PUBLISHER'],
    ['operator', 'OPERATOR'],
  ] as const) {
    snapshot.apply({ ...entry, kind: 'Account', id, body: { kind, name: id, ...profile } })
    token(`token-of-${id}`, id, ['events'])
  }
  token('feed-token', 'account', ['feed'])
  const shop = snapshot.body('Shop', SHOP_ID)!
  snapshot.apply({ ...entry, kind: 'Shop', id: OTHER_SHOP_ID, body: { ...shop, accountId: 'rival' } })
  key('key-1', SHOP_ID)
  intake = intakeOverMemory((log) => log, { snapshot, bootstrapToken: BOOTSTRAP })

  function token(secret: string, accountId: string, scopes: Scope[]) {
    const body = { accountId, name: '', scopes, secretHash: hashToken(secret), ...NEW_TOKEN }
    snapshot.apply({ ...entry, kind: 'Token', id: secret, body })
  }
  function key(id: string, shopId: string) {
    snapshot.apply({ ...entry, kind: 'SigningKey', id, body: { shopId, name: id, secret: SECRET } })
  }
})

const order = (change: object = {}) => ({
  eventId: 'order-1',
  kind: 'PURCHASE',
  shopId: SHOP_ID,
  currency: 'PLN',
  products: [{ shopProductId: 'p1', price: 10, quantity: 1 }],
  ...change,
})
const buy = (headers: Record<string, string>, body: object = order()) =>
  intake.post('/v1/ev/transaction', body, { cid: 'ann', ...headers })
const proofs = () => intake.records().map(({ value }) => (value as { proof?: string }).proof)

/** Signs a body as docs/signing-events.md tells integrators to. */
function signed(body: string, { cid = '', uid = '', at = NOW, secret = SECRET, key = 'key-1' } = {}) {
  const t = Math.floor(at / 1000)
  const hmac = createHmac('sha256', secret).update([t, cid, uid, body].join('\n')).digest('hex')
  return { 'endcap-signature': `key=${key},t=${t},v1=${hmac}` }
}

describe('a sender without a proof', () => {
  it('is anonymous, and is answered as ever', async () => {
    expect(await buy({})).toMatchObject({ status: 202, body: { clientId: 'ann', accepted: 1, rejected: [] } })
    expect(await buy({ authorization: 'Basic dGVzdDp0ZXN0' })).toMatchObject({ status: 202 })
    expect(proofs()).toEqual(['ANONYMOUS', 'ANONYMOUS'])
  })
})

describe('a token', () => {
  it.each(['token-of-account', 'token-of-operator', BOOTSTRAP])(
    'of the shop or an operator proves events: %s',
    async (token) => {
      expect((await buy(bearer(token))).status).toBe(202)
      const batch = {
        events: [
          { type: 'TRANSACTION', data: { ...order(), cid: 'ann' } },
          { type: 'PAGE_VIEW', data: { id: '1', referer: 'https://shop.example/', shopId: SHOP_ID, cid: 'ann' } },
        ],
      }
      expect((await intake.post('/v1/ev/batch', batch, bearer(token))).body.accepted).toBe(2)
      expect(proofs()).toEqual(['TOKEN', 'TOKEN', 'TOKEN'])
    },
  )

  it('that is not in force refuses the request before its body is read', async () => {
    expect(await intake.post('/v1/ev/transaction', '{', bearer('nobody'))).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    })
    expect(intake.records()).toEqual([])
  })

  it('without the scope is a 403', async () => {
    expect(await buy(bearer('feed-token'))).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
  })

  it('of another shop takes no event of this one, and costs no other event of the batch', async () => {
    expect(await buy(bearer('token-of-rival'))).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect((await intake.post('/v1/dsa/view-event', { showId: showIdOf() }, bearer('token-of-rival'))).status).toBe(403)
    const events = [SHOP_ID, OTHER_SHOP_ID].map((shopId) => ({
      type: 'TRANSACTION',
      data: { ...order({ shopId }), cid: 'ann' },
    }))
    const { body } = await intake.post('/v1/ev/batch', { events }, bearer('token-of-rival'))
    expect(body).toMatchObject({ accepted: 1, rejected: [{ index: 0, code: 'FORBIDDEN' }] })
  })
})

describe('a signature', () => {
  const body = JSON.stringify(order())
  const send = (headers: Record<string, string>, sent = body) =>
    intake.post('/v1/ev/transaction', sent, { cid: 'ann', uid: 'u1', ...headers })

  it('proves the events of its shop', async () => {
    expect((await send(signed(body, { cid: 'ann', uid: 'u1' }))).status).toBe(202)
    expect(proofs()).toEqual(['SIGNED'])
  })

  it('is over the bytes as they are, in any content type and with any header text', async () => {
    const spaced = JSON.stringify(
      order({ locale: null, products: [{ shopProductId: 'Żółw', price: 1, quantity: 1 }] }),
      null,
      2,
    )
    const headers = { ...signed(spaced, { cid: 'ann', uid: '' }), 'content-type': 'text/plain', uid: '' }
    expect((await send(headers, spaced)).status).toBe(202)
    expect(proofs()).toEqual(['SIGNED'])
  })

  const mismatch = /does not match the body, cid and uid/
  it.each<[string, RegExp, () => Record<string, string>]>([
    ['another body', mismatch, () => signed(body.replace('10', '11'), { cid: 'ann', uid: 'u1' })],
    ['another cid', mismatch, () => signed(body, { cid: 'eve', uid: 'u1' })],
    ['another uid', mismatch, () => signed(body, { cid: 'ann', uid: 'u2' })],
    ['another secret', mismatch, () => signed(body, { cid: 'ann', uid: 'u1', secret: 'x' })],
    ['an unknown key', /unknown key/, () => signed(body, { cid: 'ann', uid: 'u1', key: 'key-2' })],
    ['a day ago', /24 hours old: sign/, () => signed(body, { cid: 'ann', uid: 'u1', at: NOW - 86_401_000 })],
    ['a time to come', /5 minutes ahead: set/, () => signed(body, { cid: 'ann', uid: 'u1', at: NOW + 302_000 })],
    ['milliseconds', /t=<Unix seconds>/, () => signed(body, { cid: 'ann', uid: 'u1', at: NOW * 1000 })],
    ['no known form', /must have the form/, () => ({ 'endcap-signature': 'v1=abc' })],
  ])('of %s refuses the request, and says why', async (_what, message, headers) => {
    const errors = [{ path: 'header/endcap-signature', message: expect.stringMatching(message) }]
    expect(await send(headers())).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED', errors } })
    expect(intake.records()).toEqual([])
  })

  it('is of the cid that the header means: UTF-8', async () => {
    const headers = { ...signed(body, { cid: 'żółw', uid: 'u1' }), cid: Buffer.from('żółw').toString('latin1') }
    expect((await send(headers)).status).toBe(202)
  })

  it('moves nothing from cid to uid or into the body', async () => {
    const { 'endcap-signature': signature } = signed(body, { cid: 'ann', uid: 'u1' })
    const headers = { 'endcap-signature': signature, cid: 'annu1', uid: '' }
    expect((await send(headers)).status).toBe(401)
  })

  it('of a deleted key proves nothing', async () => {
    const { body: gone } = snapshot.get('SigningKey', 'key-1')!
    const entry = { kind: 'SigningKey', id: 'key-1', version: 2, updatedAt: 1, updatedBy: 'x', deletedAt: 1 } as const
    snapshot.apply({ ...entry, body: { ...gone, secret: '' } })
    expect((await send(signed(body, { cid: 'ann', uid: 'u1' }))).status).toBe(401)
  })

  it('of another shop takes no event of this one', async () => {
    const foreign = JSON.stringify(order({ shopId: OTHER_SHOP_ID }))
    expect((await send(signed(foreign, { cid: 'ann', uid: 'u1' }), foreign)).status).toBe(403)
  })

  it('is looked at only once the body is whole: one that is cut is no signed one', async () => {
    const answer = await send(signed(body, { cid: 'ann', uid: 'u1' }), body.slice(0, -1))
    expect(answer.status).toBe(400)
  })
})

describe('docs/signing-events.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/signing-events.md'), 'utf8')
  const block = (language: string, holding: string) =>
    [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
      ([, of, code]) => of === language && code!.includes(holding),
    )![2]!
  const send = (body: string, headers: Record<string, string>) => intake.post('/v1/ev/transaction', body, headers)

  it('signs with Node.js as the intake reads it', async () => {
    const { signOrder } = await import(`data:text/javascript,${encodeURIComponent(block('js', 'signOrder'))}`)
    const { body, headers } = signOrder(order(), { cid: 'ann', uid: 'u1', keyId: 'key-1', secret: SECRET, now: NOW })
    expect((await send(body, headers)).status).toBe(202)
    expect(proofs()).toEqual(['SIGNED'])
  })

  it('signs with a shell as the intake reads it', async () => {
    const script = block('sh', 'openssl')
      .replace('T=$(date +%s)', `T=${NOW / 1000}`)
      .replace(/^curl[\s\S]*/m, '')
    const env = { ...process.env, SHOP_ID, SECRET, CID: 'ann' }
    const shown = execFileSync('sh', ['-c', `${script}\nprintf '%s\\n%s\\n%s' "$T" "$V1" "$BODY"`], { env }).toString()
    const [t, v1, body] = shown.split('\n')
    expect((await send(body!, { cid: 'ann', 'endcap-signature': `key=key-1,t=${t},v1=${v1}` })).status).toBe(202)
    expect(proofs()).toEqual(['SIGNED'])
  })
})

describe('while the copy of the registry is stale', () => {
  beforeEach(() => {
    snapshot.staleReason = 'The copy ends at offset 7'
  })
  const again = { status: 503, headers: { 'retry-after': '5' }, body: { code: 'UNAVAILABLE' } }

  it('a token that may be newer is asked to come again', async () => {
    expect(await buy(bearer('made-a-minute-ago'))).toMatchObject(again)
  })

  it('so is a signature by a key that may be newer', async () => {
    expect(await buy(signed(JSON.stringify(order()), { cid: 'ann', key: 'key-2' }))).toMatchObject(again)
  })

  it('so is a token with an ad of a shop that may be newer', async () => {
    const showId = showIdOf({ shopId: '88888888-8888-4888-8888-888888888888' })
    const view = () => intake.post('/v1/dsa/view-event', { showId }, bearer('token-of-account'))
    expect(await view()).toMatchObject(again)
    snapshot.staleReason = null
    expect(await view()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
  })

  it('what is known is taken and refused as ever', async () => {
    expect(await buy(bearer('token-of-account'))).toMatchObject({ status: 202 })
    expect(await buy(bearer('feed-token'))).toMatchObject({ status: 403 })
    expect(await buy(signed('another body', { cid: 'ann' }))).toMatchObject({ status: 401 })
    expect(await buy(bearer('token-of-rival'))).toMatchObject({ status: 403 })
  })
})
