import { expect, it } from 'vitest'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import { createHttpServer, type HttpServer } from '../../../../services/http/server.ts'
import { createAccountTurns } from '../../../../services/registry/reports/account-turns.ts'
import type { Principal } from '../../../../services/registry/rights/auth.ts'

/** A route that makes two queries, one after the other, behind turns of two with three waiting. `end` ends the oldest query. */
async function openServer() {
  const running: { account: string; end: () => void }[] = []
  const turns = createAccountTurns({ running: 2, waiting: 3 })
  const analytics = turns.inTurns({
    query: (account: string) => new Promise((end) => running.push({ account, end: () => end([]) })),
  } as unknown as Analytics)
  const server = createHttpServer({ logger: false })
  server.register(async (scope: HttpServer) => {
    turns.follow(scope)
    scope.register(async (app) => {
      app.get<{ Params: { account: string } }>(
        '/:account',
        {
          async onRequest(request) {
            request.principal = { accountId: request.params.account } as Principal
          },
        },
        async ({ params }) => {
          await analytics.query(params.account)
          await analytics.query(params.account)
          return {}
        },
      )
    })
  })
  await server.ready()
  const get = async (account: string) => (await server.inject(`/${account}`)).statusCode
  const end = (account: string) =>
    running
      .splice(
        running.findIndex((each) => each.account === account),
        1,
      )[0]!
      .end()
  const accounts = () => running.map(({ account }) => account).sort()
  return { get, end, accounts, close: () => server.close() }
}

it('runs a few queries of an account at once, and those of others meanwhile', async () => {
  const { get, end, accounts, close } = await openServer()
  const first = Array.from({ length: 4 }, () => get('a'))
  await expect.poll(accounts).toEqual(['a', 'a'])
  const other = get('b')
  await expect.poll(accounts).toEqual(['a', 'a', 'b'])
  for (let query = 0; query < 2; query++) {
    await expect.poll(accounts).toContain('b')
    end('b')
  }
  expect(await other).toBe(200)
  for (let query = 0; query < 8; query++) {
    await expect.poll(accounts).toContain('a')
    expect(accounts().length).toBeLessThanOrEqual(2)
    end('a')
  }
  expect(await Promise.all(first)).toEqual([200, 200, 200, 200])
  await close()
})

it('refuses what would wait behind too many of the same account', async () => {
  const { get, end, accounts, close } = await openServer()
  const asked = Array.from({ length: 5 }, () => get('a'))
  await expect.poll(accounts).toEqual(['a', 'a'])
  expect(await get('a')).toBe(429)
  for (let query = 0; query < 10; query++) {
    await expect.poll(accounts).toContain('a')
    end('a')
  }
  expect(await Promise.all(asked)).toEqual([200, 200, 200, 200, 200])
  await close()
})
