import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openGate } from '../../../../services/http/forwarding/gate.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gates-'))
  vi.stubEnv('TMPDIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const open = () => openGate(createServer())

/** Starts a process that opens a gate, and kills it. */
async function killedProcess(): Promise<void> {
  const module = JSON.stringify(new URL('../../../../services/http/forwarding/gate.ts', import.meta.url).href)
  const program = `import { createServer } from 'node:http'
    const { openGate } = await import(${module})
    await openGate(createServer())
    console.log('open')`
  const process = spawn('node', ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(process.stdout, 'data')
  process.kill('SIGKILL')
  await once(process, 'exit')
}

it('removes what a killed process has left, and nothing else', async () => {
  await killedProcess()
  const [left] = readdirSync(folder)
  mkdirSync(join(folder, 'endcap-starting'))
  mkdirSync(join(folder, 'endcap-of-another-program'))
  writeFileSync(join(folder, 'endcap-of-another-program', 'gate'), '')
  const living = await open()
  const gate = await open()
  const names = readdirSync(folder)
  expect(left).toMatch(/^endcap-/)
  expect(names).not.toContain(left)
  expect(names).toHaveLength(4)
  expect(names).toEqual(expect.arrayContaining(['endcap-starting', 'endcap-of-another-program']))
  const socket = connect(living.path)
  await once(socket, 'connect')
  socket.destroy()
  await living.close()
  await gate.close()
  expect(readdirSync(folder)).toHaveLength(2)
})

it('leaves each of many that open at once, while it removes what was left', async () => {
  await killedProcess()
  const gates = await Promise.all(Array.from({ length: 20 }, open))
  expect(readdirSync(folder)).toHaveLength(20)
  for (const gate of gates) await gate.close()
  expect(readdirSync(folder)).toEqual([])
})
