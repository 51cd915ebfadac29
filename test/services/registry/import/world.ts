import { LogUnavailable, type NewRecord } from '../../../../infra/event-log/port.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../../services/http/server.ts'
import { importApp } from '../../../../services/registry/import/app.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { apply } from '../reports/world.ts'

export const NOW = Date.parse('2026-06-01T12:00:00Z')
export const OPERATOR = 'the-bootstrap-token-of-the-tests-1234'

export type ImportWorld = ReturnType<typeof openWorld>

/**
 * The import routes in front of a log in memory. The account `pub` has the shop `shop` in New York, `other` has `elsewhere`, and
 * `adv` is an advertiser. Each has a token `token-of-<account>`.
 */
export function openWorld() {
  const appended: NewRecord[][] = []
  let logFails = false
  const snapshot = new Snapshot()
  for (const [id, kind] of [
    ['pub', 'PUBLISHER'],
    ['other', 'PUBLISHER'],
    ['adv', 'ADVERTISER'],
  ] as const) {
    apply(snapshot, 'Account', id, { kind, name: id })
    const secretHash = hashToken(`token-of-${id}`)
    apply(snapshot, 'Token', `t-${id}`, {
      accountId: id,
      scopes: ['import'],
      secretHash,
      expiresAt: null,
      revokedAt: null,
      createdBy: null,
    })
  }
  apply(snapshot, 'Shop', 'shop', { accountId: 'pub', name: 'Shop', timeZone: 'America/New_York' })
  apply(snapshot, 'Shop', 'elsewhere', { accountId: 'other', name: 'Elsewhere', timeZone: 'UTC' })
  const server = createHttpServer({ logger: false })
  server.register(
    importApp({
      log: {
        async append(records) {
          if (logFails) throw new LogUnavailable('down')
          appended.push([...records])
          return []
        },
      },
      access: createAccess(snapshot),
      authorize: createAuthorize({ snapshot, bootstrapToken: OPERATOR, now: () => NOW }),
      now: () => NOW,
      importLimits: { bytesMax: 400_000, linesMax: 2_500, lineMaxBytes: 2_000 },
    }),
  )
  return {
    server,
    snapshot,
    appended,
    failLog() {
      logFails = true
    },
    /** The transactions in the log. */
    stored: () => appended.flat().map(({ value }) => decode('Transaction', value!)),
    /** Sends lines to the import, each as JSON unless they are one text. */
    async send(
      lines: unknown[] | string,
      options: { token?: string; query?: string; type?: string; path?: string } = {},
    ) {
      const { token = 'token-of-pub', query = '', type = 'application/x-ndjson', path = 'transactions' } = options
      const payload = typeof lines === 'string' ? lines : lines.map((line) => JSON.stringify(line)).join('\n')
      const answer = await server.inject({
        method: 'POST',
        url: `/v1/panel/import/${path}${query}`,
        headers: { 'content-type': type, authorization: `Bearer ${token}` },
        payload,
      })
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}

/** An order as a shop imports it. */
export const order = (rest: object = {}) => ({
  ...{ eventId: 'o1', currency: 'eur', occurredAt: '2019-05-04T10:00:00+02:00', cid: 'me' },
  products: [{ shopProductId: 'sku', price: 12.345678, quantity: 2 }],
  ...rest,
})
