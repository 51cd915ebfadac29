import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Program, startProgram } from '../program.ts'
import { testNamespace } from './addresses.ts'
import { removeNamespace, settingsIn } from './namespace.ts'

interface Service {
  image: string
  environment: Record<string, string>
  depends_on: Record<string, unknown>
}

const namespace = testNamespace()
const env = { ...settingsIn(namespace), SHOW_ID_KEYS: `1:${randomBytes(32).toString('base64url')}` }
const started = new Map<string, Promise<Program>>()
let services: Record<string, Service>

beforeAll(async () => {
  const file = join(import.meta.dirname, '../../infra/compose.yaml')
  services = parse(await readFile(file, 'utf8'), { merge: true }).services
})
afterAll(async () => {
  for (const each of await Promise.allSettled(started.values()))
    if (each.status === 'fulfilled') await each.value.stop()
  await removeNamespace(namespace)
})

/** Starts a process once all those are ready for which its service waits, as Docker does. */
function start(name: string): Promise<Program> {
  const known = started.get(name)
  if (known) return known
  const { environment, depends_on } = services[name]!
  const others = Object.keys(depends_on).filter(isOfProgram)
  const program = Promise.all(others.map(start)).then(() =>
    startProgram({ env: { ...env, ROLES: environment.ROLES! } }),
  )
  started.set(name, program)
  return program
}

const isOfProgram = (name: string) => services[name]!.image.startsWith('endcap:')

it('every process of compose.yaml becomes ready on engines that hold nothing', async () => {
  const names = Object.keys(services).filter((name) => isOfProgram(name) && !name.endsWith('-2'))
  expect(names).toHaveLength(4)
  const outcomes = await Promise.allSettled(names.map(start))
  expect(
    outcomes.flatMap((each, at) => (each.status === 'rejected' ? [`${names[at]}: ${each.reason.message}`] : [])),
  ).toEqual([])
})
