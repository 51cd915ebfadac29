import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, type Cookie, chromium, type Page } from 'playwright-core'
import { must, type Program, type ProgramOptions, startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'

/** The same engine without the windows of a desktop, at about half of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'
const CHROMIUM = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The impacts of axe's findings that fail a test. */
const GRAVE = ['serious', 'critical']
/** Each rule of axe has one impact. The others cost a third of the time, and none of their findings counts. */
const OPTIONS = `{
  resultTypes: ['violations'],
  rules: Object.fromEntries(
    axe._audit.rules.filter(({ impact }) => !${JSON.stringify(GRAVE)}.includes(impact)).map(({ id }) => [id, { enabled: false }]),
  ),
}`
/**
 * The user agent of a common browser: the judge rejects headless ones. It is set for the whole browser, because requests
 * that outlive their page ignore the settings of the page.
 */
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** Pages live for seconds: to optimise their code takes a sixth of their processor time, and never pays. */
const JS_FLAGS = ['--no-opt', '--no-maglev']
/** Only ends what hangs. */
const ACTION_TIMEOUT_MS = 120_000

export interface Person {
  email: string
  password: string
}

/** The operator that every program of these tests starts with. */
export const OPERATOR: Person = { email: 'operator@shop.example', password: 'a-password-of-tests' }

type ContextOptions = Parameters<Browser['newContext']>[0]

export interface World {
  program: Program
  browser: Browser
  /** Opens a blank page in a new browser context, signed in as a person: all such pages of a person are of one session. */
  signedIn(person: Person, options?: ContextOptions): Promise<Page>
  /** The same in a session of its own, for a test that ends it. */
  signedInAnew(person: Person, options?: ContextOptions): Promise<Page>
  /** Creates a user of an account. */
  makeUser(user: { name: string; role: 'PUBLISHER' | 'ADVERTISER'; accountId: string }): Promise<Person>
  /** Closes all pages, and ends a program of its own. */
  stop(): Promise<void>
}

/** Of all files that a process of the tests runs, one after the other. They end with the process. */
let browserOfAll: Promise<Browser> | undefined
let programOfAll: Promise<Program> | undefined
/** The cookies of people who have signed in, by the address of the program and theirs: hashing a password is slow on purpose. */
const sessions = new Map<string, Promise<Cookie[]>>()

/**
 * The real program with the built panel, and a browser. Files share both: each makes accounts and shops of its own, and expects those
 * of others beside them.
 */
export function openWorld(): Promise<World> {
  programOfAll ??= startProgramOfAll()
  return worldOf(programOfAll, async () => {})
}

/** The same with a program of its own: for settings of its own, or an installation in which there is nothing else. */
export function openOwnWorld(options: ProgramOptions = {}): Promise<World> {
  return worldOf(startWithOperator(options), (program) => program.stop())
}

async function startProgramOfAll(): Promise<Program> {
  const program = await startWithOperator()
  // So does vitest end its processes.
  process.once('SIGTERM', () => {
    program.process.kill('SIGKILL')
    rmSync(program.folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return program
}

function startWithOperator(options: ProgramOptions = {}): Promise<Program> {
  const env = { OPERATOR_EMAIL: OPERATOR.email, OPERATOR_PASSWORD: OPERATOR.password, ...options.env }
  return startProgram({ ...options, env })
}

async function worldOf(starting: Promise<Program>, end: (program: Program) => Promise<void>): Promise<World> {
  browserOfAll ??= launchBrowser([`--user-agent=${USER_AGENT}`])
  const [program, browser] = await Promise.all([starting, browserOfAll])
  const newContext = (options: ContextOptions) => browser.newContext({ baseURL: program.url, ...options })
  const signInOnce = async (person: Person) => {
    const context = await newContext({})
    await signIn(context, program.url, person)
    const cookies = await context.cookies()
    await context.close()
    return cookies
  }
  return {
    program,
    browser,
    async signedIn(person, options) {
      const key = `${program.url} ${person.email}`
      const session = sessions.get(key) ?? signInOnce(person)
      sessions.set(key, session)
      const context = await newContext(options)
      await context.addCookies(await session)
      return context.newPage()
    },
    async signedInAnew(person, options) {
      const context = await newContext(options)
      await signIn(context, options?.baseURL ?? program.url, person)
      return context.newPage()
    },
    async makeUser({ name, role, accountId }) {
      const person = { email: `${randomBytes(6).toString('hex')}@shop.example`, password: OPERATOR.password }
      await must(program.call('POST', '/v1/panel/users', { ...person, name, role, accountId }))
      return person
    },
    async stop() {
      await Promise.all(browser.contexts().map((each) => each.close()))
      await end(program)
    },
  }
}

export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-background-networking', `--js-flags=${JS_FLAGS}`, ...args],
  })
  browser.on('context', (context) => context.setDefaultTimeout(ACTION_TIMEOUT_MS))
  return browser
}

export async function signIn(context: BrowserContext, url: string, person: Person): Promise<void> {
  const answer = await context.request.post('/v1/panel/session', { data: person, headers: { origin: url } })
  if (!answer.ok()) throw new Error(`not signed in: ${answer.status()} ${await answer.text()}`)
}

const NOTHING_MOVES =
  'document.getAnimations().every((each) => each.playState !== "running" || each.effect.getTiming().iterations === Infinity)'

/** The serious findings of axe in a page, as `rule: element` lines. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // A fault stays; what began to fade while axe looked is over by the second look.
  const findings = await look(page)
  return findings.length === 0 ? findings : look(page)
}

async function look(page: Page): Promise<string[]> {
  // Waits for animations to end: contrast is undefined while something fades.
  await waitFor(() => page.evaluate<boolean>(NOTHING_MOVES))
  // The debugger evaluates it, so the page's Content-Security-Policy does not apply.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE)
  // All that has no fault is far more than what has, and would be described and sent too.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(${OPTIONS}).then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => GRAVE.includes(impact ?? ''))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    )
}

/** Collects errors of scripts and of the console from now on, including violations of the Content-Security-Policy. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return errors
}
