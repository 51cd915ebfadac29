import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../../../services/domain/limits.ts'
import { eventually, head, listening, MIB, open } from './echo-server.ts'

describe('bodies that are held together', () => {
  const limits = { ...defaultLimits, bodiesMib: 4 }

  async function flood(port: number, count: number, more = '') {
    const open1 = Array.from({ length: count }, () => open(port))
    for (const { socket } of open1)
      socket.write(`${head('/bytes', 2 * MIB, 'application/json', more)}"${'a'.repeat(MIB)}`)
    await eventually(() => expect(open1.some(({ told }) => told.text.includes('503 '))).toBe(true))
    return open1
  }

  it('are given up, the longest first, and an honest one comes through at once', async () => {
    const { port } = await listening({ limits })
    const stalled = await flood(port, 8)
    const json = JSON.stringify('b'.repeat(MIB))
    const answer = await fetch(`http://127.0.0.1:${port}/bytes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: json,
    })
    expect([answer.status, await answer.json()]).toEqual([200, { bytes: json.length }])
    await eventually(() => expect(stalled.filter(({ told }) => told.text.includes('503 ')).length).toBeGreaterThan(3))
    const refused = stalled.find(({ told }) => told.text.includes('503 '))!
    expect(refused.told.text).toMatch(/retry-after: 2/i)
    expect(refused.told.text).toContain('UNAVAILABLE')
  })

  it('are not those of callers who proved who they are, while strangers hold any', async () => {
    const { port } = await listening({ limits })
    const caller = open(port)
    caller.socket.write(
      `${head('/bytes', MIB + 2, 'application/json', 'Authorization: Bearer a\r\n')}"${'a'.repeat(MIB)}`,
    )
    await flood(port, 8)
    caller.socket.write('"')
    await eventually(() => expect(caller.told.text).toContain('200 OK'))
  })

  it.each([
    ['strangers', ''],
    ['another account', 'Authorization: Bearer b\r\n'],
  ])('are given up by the account that holds the most, so that those of %s come through', async (_, more) => {
    const { port } = await listening({ limits })
    const stalled = await flood(port, 8, 'Authorization: Bearer a\r\n')
    const { socket, told } = open(port)
    socket.write(`${head('/bytes', MIB / 2 + 2, 'application/json', more)}"${'b'.repeat(MIB / 2)}"`)
    await eventually(() => expect(told.text).toMatch(/HTTP\/1.1 [25]/))
    expect(told.text).toContain('200 OK')
    await eventually(() => expect(stalled.filter(({ told }) => told.text.includes('503 ')).length).toBeGreaterThan(3))
  })

  it('leave their room when they end and when they break off', async () => {
    const { port } = await listening({ limits })
    for (let i = 0; i < 3; i++) {
      const { socket, told } = open(port)
      await new Promise((sent) => socket.write(`${head('/bytes', 4 * MIB)}"${'a'.repeat(3 * MIB)}`, sent))
      socket.destroy()
      await eventually(() => expect(told.closed).toBe(true))
      const json = JSON.stringify('b'.repeat(3 * MIB))
      const answer = await fetch(`http://127.0.0.1:${port}/bytes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: json,
      })
      expect(answer.status).toBe(200)
    }
  })

  it('leave their room when the caller is gone before they are decoded', async () => {
    const { port, taken } = await listening({ limits })
    const zipped = gzipSync(JSON.stringify('a'.repeat(3 * MIB)))
    for (let i = 1; i <= 3; i++) {
      const { socket } = open(port)
      socket.write(head('/bytes', zipped.length, 'application/json', 'Content-Encoding: gzip\r\n'))
      socket.end(zipped)
      await eventually(() => expect(taken).toHaveLength(i))
    }
  })
})
