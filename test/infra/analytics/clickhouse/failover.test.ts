import { describe, expect, it } from 'vitest'
import { createFailover } from '../../../../infra/analytics/clickhouse/failover.ts'
import { AnalyticsRejected } from '../../../../infra/analytics/port.ts'

const errorWith = (code: string) => Object.assign(new Error(code), { code })
const REFUSED = errorWith('ECONNREFUSED')
const RESET = errorWith('ECONNRESET')
const TIMEOUT = new Error('Timeout error.')
const OF_THE_SERVER = errorWith('241')

/** Servers that fail as given, and the numbers of the servers that were asked. */
function servers(...failures: (Error | null)[]) {
  const asked: number[] = []
  const all = failures.map((failure, at) => ({ at, failure }))
  const call = async ({ at, failure }: (typeof all)[number]) => {
    asked.push(at)
    if (failure) throw failure
    return at
  }
  return { all, asked, call, failover: createFailover<(typeof all)[number]>() }
}

describe('of several servers', () => {
  it('the same is asked while it works', async () => {
    const { all, asked, call, failover } = servers(null, null)
    for (let n = 0; n < 3; n++) await failover.repeatable(all, call)
    expect(asked).toEqual([0, 0, 0])
  })

  it('the next takes a call that may be made twice, and is asked from then on', async () => {
    for (const error of [REFUSED, RESET]) {
      const { all, asked, call, failover } = servers(error, null)
      for (let n = 0; n < 3; n++) expect(await failover.repeatable(all, call)).toBe(1)
      expect(asked).toEqual([0, 1, 1, 1])
    }
  })

  it('the next takes a call that must not be made twice only when the first was not reached', async () => {
    const refused = servers(REFUSED, null)
    expect(await refused.failover.once(refused.all, refused.call)).toBe(1)
    for (const error of [RESET, TIMEOUT]) {
      const { all, asked, call, failover } = servers(error, null)
      await expect(failover.once(all, call)).rejects.toBe(error)
      expect(await failover.once(all, call)).toBe(1)
      expect(asked).toEqual([0, 1])
    }
  })

  it('none but the first is waited for when it is silent; the next call goes to the next', async () => {
    const { all, asked, call, failover } = servers(TIMEOUT, null)
    await expect(failover.repeatable(all, call)).rejects.toBe(TIMEOUT)
    expect(await failover.repeatable(all, call)).toBe(1)
    expect(asked).toEqual([0, 1])
  })

  it('each is asked once when all are away, the one that failed first before the others', async () => {
    const { all, asked, call, failover } = servers(REFUSED, RESET)
    await expect(failover.repeatable(all, call)).rejects.toBe(RESET)
    await expect(failover.repeatable(all, call)).rejects.toBe(RESET)
    expect(asked).toEqual([0, 1, 0, 1])
  })

  it('an answer is an answer, whether it is an error or not', async () => {
    for (const error of [OF_THE_SERVER, new AnalyticsRejected('Parameter n is not set')]) {
      const { all, asked, call, failover } = servers(error, null)
      for (let n = 0; n < 2; n++) await expect(failover.repeatable(all, call)).rejects.toBe(error)
      expect(asked).toEqual([0, 0])
    }
  })
})
