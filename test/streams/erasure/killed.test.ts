import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { ErasingLog } from '../../../infra/event-log/erasing-log.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { createErasure } from '../../../streams/erasure/erasure.ts'
import { tries } from '../../effort.ts'
import { campaign, HOUR } from '../attribution/events.ts'
import { findableTexts } from './findable.ts'
import { ask, erasureOf, lifeOf, stateOf } from './people.ts'
import { now, openWorld, type World } from './world.ts'

/** The process of an erasure is killed before one of its effects, and the next process completes the erasure. */

const KILLS = tries(3, 60)
const REQUESTED_AT = Date.now()
const T0 = REQUESTED_AT - 10 * HOUR
const TURN_PAUSE_MS = 50
const tables = [
  ...['emissions', 'judged_events', 'event_corrections', 'transactions', 'page_views', 'touches'],
  ...['transactions_by_person', 'transactions_by_id', 'links_by_cid', 'links_by_uid'],
  ...['attributed_lines', 'credited_lines'],
]

let world: World
let analytics: Analytics
let log: ErasingLog
beforeAll(async () => {
  world = await openWorld()
  ;({ log, analytics } = world)
  const entry = encode('RegistryEntry', campaign({ version: 1, at: 0, list: [] }))
  await log.append([{ topic: 'registry', key: 'Campaign/campaign', value: entry }])
})
afterAll(() => world.close())

class Killed extends Error {}

/** A process that is killed before its `last`-th effect that others can see. Everything it tries afterwards fails too. */
function processUntil(last: number) {
  let done = 0
  const counted = <T extends object>(target: T, effects: readonly (keyof T)[]): T =>
    new Proxy(target, {
      get(from, name) {
        const value = Reflect.get(from, name)
        if (!effects.includes(name as keyof T)) return value
        return async (...args: never[]) => {
          if (++done >= last) throw new Killed()
          return (value as (...args: never[]) => Promise<unknown>).apply(from, args)
        }
      },
    })
  const turn = createErasure({
    log: counted(log, ['append', 'reset']),
    storedLog: counted(log.stored, ['replace', 'reset', 'append']),
    analytics: counted(analytics, ['command', 'insert']),
    ...{ runId: randomUUID, settledAfterMs: 0, now, exclusively: (work) => work() },
  })
  return { turn, done: () => done }
}

interface Person {
  shopId: string
  cid: string
  uid: string
}

/** A person in a new shop, next to another person of that shop. */
async function newPerson(): Promise<Person> {
  const [shopId, cid, uid] = findableTexts('shop', 'browser', 'login')
  const person = { shopId: shopId!, cid: cid!, uid: uid! }
  await log.append([
    ...lifeOf({ ...person, at: T0 }),
    ...lifeOf({ shopId: person.shopId, cid: `other-${cid}`, uid: `other-${uid}`, at: T0 }),
  ])
  await world.storeAll()
  return person
}

async function requestErasure({ shopId, cid, uid }: Person): Promise<string[]> {
  const asked = [
    erasureOf('CID', cid, { requestedAt: REQUESTED_AT, shopId }),
    erasureOf('UID', uid, { requestedAt: REQUESTED_AT, shopId }),
  ]
  await ask(log, asked)
  return asked.map(({ id }) => id)
}

const areErased = async (ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => stateOf(log, id)))).every(({ erasedAt }) => erasedAt !== null)

async function erase({ turn }: ReturnType<typeof processUntil>, ids: readonly string[]): Promise<void> {
  while (!(await areErased(ids))) if ((await turn()) !== true) await delay(TURN_PAUSE_MS)
  await world.expectNoLoss()
}

/** The tables that hold one of the person's identifiers. */
async function holding({ cid, uid }: Person): Promise<string[]> {
  const found: string[] = []
  for (const table of tables) {
    const [row] = await analytics.query<{ rows: number }>(
      `SELECT toInt64(count()) AS rows FROM ${table}
       WHERE match(formatRowNoNewline('JSONEachRow', *), {pattern:String})`,
      { pattern: `"(${cid}|${uid})"` },
    )
    if (row!.rows > 0) found.push(table)
  }
  return found
}

/** Sums of a shop's figures from which reports are made. */
const sumsOf = (shopId: string) =>
  analytics.query(
    `SELECT * FROM (
       SELECT 'credit' AS what, outcome AS of, toInt64(count()) AS rows, toInt64(sum(priceMicros)) AS micros
       FROM attributed_lines FINAL WHERE shopId = {shopId:String} GROUP BY outcome
       UNION ALL SELECT 'spend', verdict, toInt64(count()), toInt64(sum(billedMicros))
       FROM judged_events WHERE shopId = {shopId:String} GROUP BY verdict
       UNION ALL SELECT 'touches', type, toInt64(uniqExact(eventId)), 0
       FROM touches FINAL WHERE shopId = {shopId:String} GROUP BY type
       UNION ALL SELECT 'browsers', '', toInt64(uniqExact(cid)), toInt64(uniqExact(uid))
       FROM transactions WHERE shopId = {shopId:String})
     ORDER BY what, of`,
    { shopId },
  )

it('ends as if nobody had been killed, whatever it was about to do', async () => {
  const whole = processUntil(Number.POSITIVE_INFINITY)
  const first = await newPerson()
  const sums = await sumsOf(first.shopId)
  expect(sums).toHaveLength(4)
  const ids = await requestErasure(first)
  await erase(whole, ids)
  expect(await holding(first)).toEqual([])
  expect(await sumsOf(first.shopId)).toEqual(sums)
  const things = whole.done()
  expect(things).toBeGreaterThan(20)

  // Kill once in each part of its work; in the long run, before every effect.
  for (let kill = 0; kill < KILLS; kill++) {
    const [from, to] = [kill, kill + 1].map((each) => 1 + Math.floor((each * things) / KILLS))
    const at = from! >= to! ? from! : randomInt(from!, to!)
    const person = await newPerson()
    const asked = await requestErasure(person)
    const killed = processUntil(at)
    await erase(killed, asked).catch((error) => {
      if (!(error instanceof Killed)) throw error
    })
    // Nobody may be reported as erased before they are.
    if (await areErased(asked)) expect(await holding(person), `killed at ${at}`).toEqual([])
    const next = processUntil(Number.POSITIVE_INFINITY)
    await erase(next, asked)
    expect(await holding(person), `killed at ${at}`).toEqual([])
    expect(await sumsOf(person.shopId), `killed at ${at}`).toEqual(sums)
  }
})
