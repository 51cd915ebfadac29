import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TRAFFIC_RULES } from '../../../../schemas/records/traffic-rules.ts'
import { discard, type Json, type Office, openAccount, openOffice, openPublisher } from '../office.ts'

describe("a shop's rules against invalid traffic", () => {
  let office: Office
  let publisher: Awaited<ReturnType<typeof openPublisher>>

  beforeAll(async () => {
    office = await openOffice()
    publisher = await openPublisher(office)
  })
  afterAll(() => discard(office))

  const patch = (invalidTraffic: unknown) =>
    office.call('PATCH', `/v1/panel/shops/${publisher.shopId}`, { invalidTraffic }, publisher.token)
  const ruleOf = (body: Json, rule: string) => body.invalidTraffic.find((each: Json) => each.rule === rule)
  const kept = () => office.registry.snapshot.body('Shop', publisher.shopId)!.invalidTraffic

  it('are the default ones at first, every one of them told', async () => {
    const { body } = await office.call('GET', `/v1/panel/shops/${publisher.shopId}`, undefined, publisher.token)
    expect(body.invalidTraffic.map(({ rule }: Json) => rule)).toEqual([...TRAFFIC_RULES])
    expect(ruleOf(body, 'ADDRESS_CLICKS')).toEqual({ rule: 'ADDRESS_CLICKS', mode: 'REFUSE', max: 2 })
    expect(ruleOf(body, 'TOO_FAST')).toEqual({ rule: 'TOO_FAST', mode: 'MARK', max: null })
  })

  it('are set one by one; what is as by default is not kept, and follows the default', async () => {
    const set = [
      { rule: 'ADDRESS_CLICKS', mode: 'MARK', max: 2 },
      { rule: 'CID_CLICKS', mode: 'REFUSE', max: 60 },
      { rule: 'NO_VIEW', mode: 'REFUSE' },
    ]
    const { status, body } = await patch(set)
    expect(status).toBe(200)
    expect(ruleOf(body, 'ADDRESS_CLICKS')).toEqual({ rule: 'ADDRESS_CLICKS', mode: 'MARK', max: 2 })
    expect(kept()).toEqual([
      { rule: 'ADDRESS_CLICKS', mode: 'MARK', max: null },
      { rule: 'NO_VIEW', mode: 'REFUSE', max: null },
    ])
    expect((await patch(body.invalidTraffic)).body.invalidTraffic).toEqual(body.invalidTraffic)
    expect((await patch([])).status).toBe(200)
    expect(kept()).toEqual([])
  })

  it.each([
    [[{ rule: 'SOMETHING', mode: 'OFF' }]],
    [[{ rule: 'NO_VIEW', mode: 'SOMETIMES' }]],
    [[{ rule: 'NO_VIEW', mode: 'OFF', max: 3 }]],
    [[{ rule: 'CID_CLICKS', mode: 'OFF', max: -1 }]],
    [
      [
        { rule: 'CID_CLICKS', mode: 'OFF' },
        { rule: 'CID_CLICKS', mode: 'MARK' },
      ],
    ],
  ])('are refused when they make no sense: %j', async (rules) => {
    expect((await patch(rules)).status).toBe(400)
  })

  it('are not told to advertisers', async () => {
    const { token } = await openAccount(office, 'ADVERTISER')
    const { body } = await office.call('GET', `/v1/panel/shops/${publisher.shopId}`, undefined, token)
    expect(body.invalidTraffic).toBeUndefined()
  })
})
