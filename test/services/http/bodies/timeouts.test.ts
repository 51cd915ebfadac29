import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../../../services/domain/limits.ts'
import { eventually, head, listening, open } from './echo-server.ts'

const SLOW = { limits: { ...defaultLimits, bodySeconds: 0.05 } }

describe('a body that does not come in time', () => {
  it('is answered 408 where it is collected, and the connection is closed', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    socket.write(`${head('/echo', 100)}{`)
    await eventually(() => expect(told.closed).toBe(true))
    expect(told.text).toContain('408 ')
    expect(told.text).toContain('TOO_SLOW')
  })

  it('is hung up on where it is streamed', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    socket.write(`${head('/upload', 100, 'application/xml')}<`)
    await eventually(() => expect(told.closed).toBe(true))
  })

  it('is hung up on where nobody wants it', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    socket.write(`${head('/closed', 100)}{`)
    await eventually(() => expect(told.closed).toBe(true))
    expect(told.text).toContain('403 ')
  })

  it('is waited for longer the more of it has come', async () => {
    const { port } = await listening(SLOW)
    const { socket, told } = open(port)
    const json = JSON.stringify('a'.repeat(200_000))
    socket.write(head('/echo', json.length) + json.slice(0, -1))
    const late = open(port)
    late.socket.write(`${head('/echo', 100)}{`)
    await eventually(() => expect(late.told.closed).toBe(true))
    socket.write(json.slice(-1))
    await eventually(() => expect(told.text).toContain('200 OK'))
  })
})

it('closes a connection whose headers never end, and one that never sends any', async () => {
  const { port } = await listening({ limits: { ...defaultLimits, headersSeconds: 0.1 } })
  const slow = open(port)
  slow.socket.write('POST /echo HTTP/1.1\r\nHost: a\r\n')
  const silent = open(port)
  await eventually(() => expect([slow.told.closed, silent.told.closed]).toEqual([true, true]))
})
