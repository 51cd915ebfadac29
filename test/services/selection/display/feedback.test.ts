import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { UNKNOWN_CLIENT } from '../../../../services/domain/identity/client-hashes.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { intakeApp } from '../../../../services/intake/app.ts'
import { requestLimits } from '../../../request-limits.ts'
import { createDisplayWorld, type DisplayWorld } from './display-world.ts'

let world: DisplayWorld
let intake: HttpServer
let display: string
let sponsored: string

beforeAll(async () => {
  world = await createDisplayWorld()
  const { log, snapshot, showIds } = world
  const metrics = { eventsTaken() {}, repeatsLeftOut() {} }
  const clientHasher = { hash: () => UNKNOWN_CLIENT }
  intake = createHttpServer({ logger: false })
  const limits = requestLimits({ snapshot })
  intake.register(
    intakeApp({ log, metrics, snapshot, showIds, limits, now: () => world.now, uuid: randomUUID, clientHasher }),
  )
  world.display()
  world.offer([world.campaign()])
  display = (await world.adsOf())[0]!.showId
  sponsored = (await world.ads([{ slotHash: world.unit('BESTSELLERS'), adCount: 1 }]))[0]![0]!.showId
})
afterAll(async () => {
  await intake.close()
  await world.close()
})

const post = (url: string, payload: object) => intake.inject({ method: 'POST', url, payload, headers: { cid: 'ann' } })

it.each(['view-event', 'click-event'])('the %s endpoints take the showIds of their own kind only', async (name) => {
  expect((await post(`/v1/banner/dsa/${name}`, { showId: display })).statusCode).toBe(202)
  expect((await post(`/v1/dsa/${name}`, { showId: sponsored })).statusCode).toBe(202)
  for (const wrong of [
    await post(`/v1/banner/dsa/${name}`, { showId: sponsored }),
    await post(`/v1/dsa/${name}`, { showId: display }),
  ]) {
    expect(wrong.statusCode).toBe(400)
    expect(wrong.json()).toMatchObject({ code: 'WRONG_KIND', errors: [{ path: '/showId' }] })
  }
})

it('a batch takes both kinds', async () => {
  const events = [display, sponsored].flatMap((showId) => ['VIEW', 'CLICK'].map((type) => ({ type, showId })))
  const answer = await post('/v1/ev/batch', { events })
  expect([answer.statusCode, answer.json()]).toMatchObject([202, { accepted: 4, rejected: [] }])
})
