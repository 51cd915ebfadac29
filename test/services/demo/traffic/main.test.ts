import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MAIN = join(import.meta.dirname, '../../../../services/demo/traffic/main.ts')

it('leaves the progress out where there is no terminal to draw it on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'traffic-'))
  await writeFile(join(folder, 'demo.json'), JSON.stringify({ shopId: 'shop', units: {} }))
  const refusing = createServer((_, answer) => answer.writeHead(503).end()).listen(0, '127.0.0.1')
  try {
    await once(refusing, 'listening')
    const { port } = refusing.address() as AddressInfo
    const env = { ...process.env, DATA_DIR: folder, HTTP_PORT: `${port}`, METRICS_PORT: 'off', RATE: '2', SECONDS: '1' }
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN], { env })
    expect(stdout).toMatch(/^\n\n {2}visits {7}2\n/)
  } finally {
    refusing.close()
    await rm(folder, { recursive: true })
  }
})
