import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../../services/domain/limits.ts'
import { SHOP_ID } from '../../streams/judge/fixtures.ts'
import { intakeOverMemory, NOW, showIdOf } from './intake.fixtures.ts'

const MIB = 1024 * 1024
const TOKEN = 'bootstrap-token-of-at-least-32-characters'
const PROXY = '127.0.0.1'
const from = (address: string, more: Record<string, string> = {}) => ({ 'x-forwarded-for': address, ...more })
const proxied = (options: Parameters<typeof intakeOverMemory>[1] = {}) =>
  intakeOverMemory((log) => log, { trustedProxies: [PROXY], bootstrapToken: TOKEN, ...options })

const pageView = () => ({ id: randomUUID(), referer: `https://shop.example/?${'q'.repeat(1_500)}`, shopId: SHOP_ID })
/** Nearly as large as a batch may be. */
const fatBatch = () => ({ events: Array.from({ length: 1_000 }, () => ({ type: 'PAGE_VIEW', data: pageView() })) })
const storedBytes = (intake: ReturnType<typeof intakeOverMemory>) => JSON.stringify(intake.records()).length

describe('a stranger who floods', () => {
  it('with fat batches side by side stores a few MiB, not 76', async () => {
    const limited: string[] = []
    const intake = proxied({ limited })
    const flood = () => intake.post('/v1/ev/batch', fatBatch(), from('8.8.8.8'))
    const answers = await Promise.all(Array.from({ length: 8 }, flood))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.map(({ status }) => status).filter((status) => status !== 429)).toEqual([202, 202, 202])
    expect(refused).toHaveLength(5)
    expect(storedBytes(intake)).toBeLessThan(8 * MIB)
    expect(refused[0]).toMatchObject({
      headers: {
        'content-type': 'application/problem+json; charset=utf-8',
        'retry-after': expect.stringMatching(/^\d+$/),
      },
      body: {
        code: 'RATE_LIMITED',
        status: 429,
        detail: 'More than 4096 KiB of events a minute from this address (LIMIT_ADDRESS_KIB_PER_MINUTE)',
      },
    })
    expect(new Set(limited)).toEqual(new Set(['addressKibPerMinute']))
    // The next request is refused before its body is read.
    expect((await intake.post('/v1/ev/batch', 'not even JSON', from('8.8.8.8'))).status).toBe(429)
    // Other senders are not refused.
    expect((await intake.post('/v1/ev/page-view', pageView(), from('9.9.9.9'))).status).toBe(202)
    expect((await intake.post('/v1/ev/page-view', pageView())).status).toBe(202)
  })

  it('with requests is told when to come again, and may then', async () => {
    const clock = { now: NOW }
    const intake = proxied({ now: () => clock.now, limits: { addressRequestsPerMinute: 60 } })
    const view = () => intake.post('/v1/dsa/view-event', { showId: showIdOf() }, from('8.8.8.8'))
    const statuses: number[] = []
    for (let i = 0; i < 61; i++) statuses.push((await view()).status)
    expect(statuses).toEqual([...Array(60).fill(202), 429])
    expect((await view()).headers['retry-after']).toBe('1')
    clock.now += 1_000
    expect((await view()).status).toBe(202)
  })

  it('with small batches meets the limit of events, refused ones counted', async () => {
    const intake = proxied({ limits: { addressEventsPerMinute: 1_000 } })
    const events = Array.from({ length: 500 }, () => ({ type: 'VIEW', showId: 'forged' }))
    const one = { type: 'VIEW', showId: showIdOf() }
    for (const expected of [202, 202, 429]) {
      expect((await intake.post('/v1/ev/batch', { events: [...events, one] }, from('8.8.8.8'))).status).toBe(expected)
    }
  })

  it('with single events meets it as well, refused ones counted', async () => {
    const intake = proxied({ limits: { addressEventsPerMinute: 2 } })
    for (const [showId, expected] of [
      ['forged', 400],
      [7, 400],
      ['forged', 429],
      [showIdOf(), 429],
    ]) {
      expect((await intake.post('/v1/dsa/view-event', { showId }, from('8.8.8.8'))).status).toBe(expected)
    }
  })

  it('is one stranger at every address of an IPv6 network of 64 bits, and cannot forge another', async () => {
    const intake = proxied({ limits: { addressRequestsPerMinute: 2 } })
    const view = (forwardedFor: string) =>
      intake.post('/v1/dsa/view-event', { showId: showIdOf() }, from(forwardedFor)).then(({ status }) => status)
    expect([await view('2a00:1:2:3::1'), await view('2a00:1:2:3:ffff::2'), await view('2a00:1:2:3::3')]).toEqual([
      202, 202, 429,
    ])
    expect(await view('2a00:1:2:4::1')).toBe(202)
    expect([await view('1.1.1.1, 8.8.8.8'), await view('2.2.2.2, 8.8.8.8'), await view('3.3.3.3, 8.8.8.8')]).toEqual([
      202, 202, 429,
    ])
  })
})

it('tells of an address that is limited and forwards for others: it may be a proxy that no setting names', async () => {
  const limited: string[] = []
  const intake = intakeOverMemory((log) => log, {
    limited,
    trustedProxies: [],
    limits: { addressRequestsPerMinute: 1 },
  })
  const view = (headers: Record<string, string>) =>
    intake.server.inject({ method: 'POST', url: '/v1/dsa/view-event', remoteAddress: '8.8.8.8', headers, payload: {} })
  await view({})
  await view({})
  await view({ 'x-forwarded-for': '9.9.9.9' })
  expect(limited).toEqual(['addressRequestsPerMinute', 'addressRequestsPerMinute', 'FORWARDER'])
})

describe('who is not a stranger', () => {
  it('reports for a shop with its token, as much as it has to', async () => {
    const intake = proxied({ limits: { addressRequestsPerMinute: 1, addressKibPerMinute: 1, shopKibPerMinute: 1 } })
    const headers = from('8.8.8.8', { authorization: `Bearer ${TOKEN}` })
    for (let i = 0; i < 5; i++) expect((await intake.post('/v1/ev/batch', fatBatch(), headers)).status).toBe(202)
  })

  it('meets the limits of tokens', async () => {
    const intake = proxied({ limits: { tokenRequestsPerMinute: 2 } })
    const report = (more: Record<string, string>) =>
      intake.post('/v1/ev/page-view', pageView(), from('8.8.8.8', more)).then(({ status }) => status)
    const authorization = `Bearer ${TOKEN}`
    expect([await report({ authorization }), await report({ authorization }), await report({ authorization })]).toEqual(
      [202, 202, 429],
    )
    expect(await report({})).toBe(202)
  })

  it('is a shopper in an office of two hundred behind one address', async () => {
    const clock = { now: NOW }
    const intake = proxied({ now: () => clock.now })
    let refused = 0
    // Each shopper opens a page every half minute and views five ads on it.
    const pages = 200 * 2
    for (let page = 0; page < pages; page++) {
      for (let ad = 0; ad < 5; ad++) {
        const { status } = await intake.post('/v1/dsa/view-event', { showId: showIdOf() }, from('8.8.8.8'))
        if (status !== 202) refused += 1
      }
      const { status } = await intake.post('/v1/ev/page-view', pageView(), from('8.8.8.8'))
      if (status !== 202) refused += 1
      clock.now += 60_000 / pages
    }
    expect(refused).toBe(0)
  })
})

describe('a sender whose address is unknown', () => {
  it('is limited with its shop only', async () => {
    const intake = proxied({ limits: { addressRequestsPerMinute: 1, shopEventsPerMinute: 10 } })
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await intake.post('/v1/ev/page-view', pageView())).status)
    expect(statuses).toEqual([...Array(10).fill(202), 429, 429])
  })

  it('cannot fill the disk for other shops, nor for the server of its own', async () => {
    const limited: string[] = []
    const intake = proxied({ limited, limits: { shopKibPerMinute: 1_024 } })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await intake.post('/v1/ev/batch', fatBatch())).status)
    expect(statuses).toEqual([202, 429, 429, 429])
    expect(limited).toEqual(Array(3).fill('shopKibPerMinute'))
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect((await intake.post('/v1/ev/page-view', pageView(), headers)).status).toBe(202)
  })
})

it('limits nothing where a limit is 0', async () => {
  const off = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, name.endsWith('PerMinute') ? 0 : 1]))
  const intake = proxied({ limits: off })
  for (let i = 0; i < 8; i++) expect((await intake.post('/v1/ev/batch', fatBatch(), from('8.8.8.8'))).status).toBe(202)
})
