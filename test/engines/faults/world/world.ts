import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { programPorts } from '../../../free-port.ts'
import { type JourneyShop, openShop } from '../../../journey/shop.ts'
import type { Program } from '../../../program.ts'
import { type EngineSet, engineNames, prepareEngines } from './engine-set.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { type Supervised, supervise } from './supervised.ts'

export const roles = ['registry', 'selection', 'intake', 'streams'] as const
export type Role = (typeof roles)[number]

export const NAMESPACE = 'faults'
/** The shortest timeout that the program accepts. */
export const SESSION_TIMEOUT_MS = 6_000
/** Enough for two processes of a role to have several each. More would only mean more and smaller batches to store. */
const PARTITIONS = 4
const INTAKE_DISK_MB = 48
const LAMPS = 40
/** More than the suite can spend, so that no view or click is over budget. */
const BUDGET = 1_000_000

/** The whole system as in production: a process for every role, on real engines. */
export interface World {
  engines: EngineSet
  programs: Readonly<Record<Role, Supervised>>
  shop: JourneyShop
  /** The disk of the intake process's data folder, and so of its spool. */
  intakeDisk: SmallDisk
  urlOf(role: Role): string
  call: Program['call']
  /** Another process of a role, next to the first. */
  another(role: Role): Supervised
  environment: Readonly<Record<string, string>>
  folderOf(name: string): string
  /** Undoes every fault: afterwards all engines and programs run and can be reached. */
  heal(): Promise<void>
  remove(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const engines = await prepareEngines()
  // The programs' logs are kept until the next run.
  const logFolder = join(import.meta.dirname, '../../../../.engines/faults-logs')
  await rm(logFolder, { recursive: true, force: true })
  await mkdir(logFolder)
  const diskFolder = `${engines.folder}-disk`
  const folderOf = (name: string) => (name === 'intake' ? diskFolder : join(engines.folder, 'programs', name))
  const intakeDisk = await mountSmallDisk(diskFolder, { sizeMb: INTAKE_DISK_MB })
  const environment = {
    ...engines.environment,
    NAMESPACE,
    SHOW_ID_KEYS: `1:${randomBytes(32).toString('base64url')}`,
    KAFKA_PARTITIONS: String(PARTITIONS),
    KAFKA_SESSION_TIMEOUT_MS: String(SESSION_TIMEOUT_MS),
    ELASTICSEARCH_REPLICAS: '0',
    SIGNALS_INTERVAL_SECONDS: '15',
  }
  // A second process of a role takes the port four higher.
  const portOf = (role: Role) => programPorts.faults + roles.indexOf(role)
  const program = (role: Role, name: string, port: number) =>
    supervise({
      folder: folderOf(name),
      logFile: join(logFolder, `${name}.log`),
      env: { ...environment, ROLES: role, HTTP_PORT: String(port) },
    })

  await engines.start()
  for (const role of roles) await mkdir(folderOf(role), { recursive: true })
  const programs = Object.fromEntries(
    roles.map((role) => [role, program(role, role, portOf(role))]),
  ) as World['programs']
  const call: Program['call'] = async (method, path, ...rest) => {
    const role = path.startsWith('/v1/dsa/') ? 'selection' : path.startsWith('/v1/ev/') ? 'intake' : 'registry'
    return (await programs[role].ready()).call(method, path, ...rest)
  }
  const others: Supervised[] = []
  const stop = () => Promise.all([...others, ...Object.values(programs)].map((each) => each.stop()))

  const heal = async () => {
    for (const other of others.splice(0)) await other.stop()
    for (const name of engineNames) await engines.signal(name, 'SIGCONT').catch(() => {})
    for (const role of roles) {
      programs[role].signal('SIGCONT')
      programs[role].start()
    }
    for (const proxy of Object.values(engines.proxies)) {
      proxy.delay(0)
      await proxy.mend()
    }
    await engines.start()
    await Promise.all(roles.map((role) => programs[role].ready()))
  }
  const remove = async () => {
    await stop()
    await intakeDisk.remove()
    await engines.remove()
  }
  try {
    await heal()
    const lamps = Array.from({ length: LAMPS }, (_, i) => String(i))
    const shop = await openShop({ call }, { lamps, budget: BUDGET })
    const another = (role: Role) => {
      const second = program(role, `${role}-2`, portOf(role) + roles.length)
      others.push(second)
      second.start()
      return second
    }
    const urlOf = (role: Role) => `http://127.0.0.1:${portOf(role)}`
    return { engines, programs, shop, intakeDisk, urlOf, call, another, environment, folderOf, heal, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
