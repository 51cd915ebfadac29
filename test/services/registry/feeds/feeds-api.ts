import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Account } from '../../../../schemas/records/accounts.ts'
import { hashToken } from '../../../../services/domain/identity/tokens.ts'
import { defaultLimits } from '../../../../services/domain/limits.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createHttpServer } from '../../../../services/http/server.ts'
import { feedsApp } from '../../../../services/registry/feeds/app.ts'
import { createFeedRuns } from '../../../../services/registry/feeds/runs/feed-runs.ts'
import { createFeedRunner } from '../../../../services/registry/feeds/runs/runner.ts'
import { fetchOptions } from '../../../../services/registry/feeds/source/fetch.ts'
import { openFeedFiles } from '../../../../services/registry/feeds/source/files.ts'
import { created, openRegistry, type Registry } from '../../../../services/registry/resources/store.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { openNewAnalytics } from '../../../new-analytics.ts'
import { waitFor } from '../../../wait-for.ts'
import { openEngines } from './engines.ts'

const OPERATOR = 'operator-token-of-these-tests-0123456789'
const publisherToken = 'publisher-token'
export const stranger = 'stranger-token'
export const shopId = randomUUID()
export const feedId = randomUUID()
export const emptyFeedId = randomUUID()
export const FEED = `/v1/panel/feeds/${feedId}`
/** More than this is refused. */
export const UPLOAD_BYTES_MAX = 2_000_000

export type Headers = Record<string, string>
export type FeedsApi = Awaited<ReturnType<typeof openFeedsApi>>

/** The API of feeds over embedded engines, with two feeds of a shop, called by its publisher. */
export async function openFeedsApi() {
  const clock = { now: Date.UTC(2026, 5, 15) }
  const now = () => clock.now
  const engines = await openEngines()
  const analytics = await openNewAnalytics({ folder: join(engines.folder, 'analytics') })
  const { log, index, catchUp: caughtUp } = engines
  const snapshot = new Snapshot()
  const registry = await openRegistry({ log, snapshot, now })
  const runs = createFeedRuns({
    limits: defaultLimits,
    registry,
    runner: createFeedRunner({ log, index, caughtUp, fetch: fetchOptions(defaultLimits, false), now }),
    files: await openFeedFiles(join(engines.folder, 'uploads'), UPLOAD_BYTES_MAX),
    intervalMs: 3_600_000,
    now,
    uuid: randomUUID,
    logger: { error: () => {} },
  })
  await runs.start()
  const server = createHttpServer({ logger: false })
  const authorize = createAuthorize({ snapshot, bootstrapToken: OPERATOR, now })
  feedsApp(server, {
    snapshot,
    access: createAccess(snapshot),
    authorize,
    analytics,
    runs,
    indexedUpTo: async () => clock.now,
  })
  await writeFeeds(registry)

  async function call(method: 'GET' | 'POST', url: string, payload?: string | Buffer, headers: Headers = {}) {
    const answer = await server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${publisherToken}`, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    const json = String(answer.headers['content-type']).includes('json')
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as what the API says they are
    return { status: answer.statusCode, headers: answer.headers, body: (json ? answer.json() : answer.body) as any }
  }

  /** Uploads a file, waits until the run has ended, and stores its issues as the sink would. */
  async function uploaded(content: string | Buffer, headers: Headers = { 'content-type': 'application/xml' }) {
    clock.now += 1_000
    const answer = await call('POST', `${FEED}/content`, content, headers)
    expect(answer).toMatchObject({ status: 202, body: { status: 'QUEUED', trigger: 'UPLOAD', feedId, shopId } })
    const path = `${FEED}/runs/${answer.body.id}`
    await waitFor(async () => !['QUEUED', 'RUNNING'].includes((await call('GET', path)).body.status))
    const issues = (await engines.issues(shopId)).filter((issue) => issue.runId === answer.body.id)
    const rows = issues.map((issue, i) => ({ _topic: 'feed-issues', _partition: 0, _offset: i, ...issue }))
    await analytics.insert('feed_issues', rows, { token: answer.body.id })
    return (await call('GET', path)).body
  }

  return {
    clock,
    engines,
    call,
    uploaded,
    async close() {
      await server.close()
      await runs.close()
      await registry.close()
      await analytics.close()
      await engines.close()
    },
  }
}

async function writeFeeds(registry: Registry): Promise<void> {
  const [publisher, other] = [randomUUID(), randomUUID()]
  const account: Account = {
    ...{ kind: 'PUBLISHER', name: '', companyName: '', taxNumber: '', sellerIds: [], displayEnabled: false },
  }
  const bearer = (accountId: string, secret: string) => ({
    ...{
      accountId,
      name: '',
      scopes: ['panel' as const],
      secretHash: hashToken(secret),
      expiresAt: null,
      revokedAt: null,
      createdBy: null,
      createdAt: null,
      lastUsedAt: null,
    },
  })
  const shop = { accountId: publisher, name: 'S', currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'UTC' }
  const windows = {
    clickWindowHours: 1,
    viewWindowHours: 1,
    reserveCpcMicros: 1,
    transactionTrust: 'OPEN' as const,
    invalidTraffic: [],
    synonyms: '',
  }
  const feed = {
    ...{ shopId, name: 'F', url: null, currency: 'EUR', lang: 'en' },
    ...{ etag: null, lastModified: null, contentHash: null, username: null, password: null, keptUpload: null },
  }
  await registry.write(
    [
      created('Account', publisher, account),
      created('Account', other, account),
      created('Token', randomUUID(), bearer(publisher, publisherToken)),
      created('Token', randomUUID(), bearer(other, stranger)),
      created('Shop', shopId, { ...shop, ...windows }),
      created('Feed', feedId, feed),
      created('Feed', emptyFeedId, feed),
    ],
    { by: 'test' },
  )
}
