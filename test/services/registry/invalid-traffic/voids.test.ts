import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEmbeddedAnalytics } from '../../../../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import { invalidTrafficApp } from '../../../../services/registry/invalid-traffic/app.ts'
import { createAccess } from '../../../../services/registry/rights/access.ts'
import { createAuthorize } from '../../../../services/registry/rights/auth.ts'
import { BOOTSTRAP_TOKEN, discard, type Office, openOffice, openPublisher, paths } from '../office.ts'

let office: Office
let analytics: Analytics
let publisher: Awaited<ReturnType<typeof openPublisher>>
beforeAll(async () => {
  office = await openOffice()
  analytics = await openEmbeddedAnalytics({ folder: join(office.folder, 'analytics') })
  const { log, server, registry } = office
  const { snapshot } = registry
  const now = () => office.clock.now
  const authorize = createAuthorize({ snapshot, bootstrapToken: BOOTSTRAP_TOKEN, now })
  server.register(
    invalidTrafficApp({ log, analytics, access: createAccess(snapshot), authorize, now, uuid: randomUUID }),
  )
  publisher = await openPublisher(office)
})
afterAll(async () => {
  await analytics.close()
  await discard(office)
})

it('names a bound that is a time that does not exist', async () => {
  const leapSecond = '2026-06-30T23:59:60Z'
  const body = { shopId: publisher.shopId, reason: 'A bot', cid: 'c', from: leapSecond, to: leapSecond }
  const answer = await office.call('POST', '/v1/panel/invalid-traffic/voids', body, publisher.token)
  expect(answer.status).toBe(400)
  expect(paths(answer)).toEqual(['/from', '/to'])
})
