import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, type Cookie, chromium, type Page } from 'playwright-core'
import { must, type Program, type ProgramOptions, startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'

/** The same browser engine without a desktop's windows, at about half the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'
const CHROMIUM = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The impacts for which axe's findings fail a test. */
const GRAVE = ['serious', 'critical']
/**
 * Each rule of axe has one impact. Rules with other impacts are left out: they take a third of the time, and none of their findings
 * counts.
 */
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
/** Pages live for seconds: optimising their code takes a sixth of their processor time, and never pays off. */
const JS_FLAGS = ['--no-opt', '--no-maglev']
/**
 * What the panel shows fades and slides unless a person asks for less motion, which takes processor time that few tests need. Those
 * of the demo, of signing in and of the focus see the panel in motion.
 */
const WITHOUT_MOTION = { reducedMotion: 'reduce' } as const
/** Long enough that it only ends actions that hang. */
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
  /** Opens a blank page in a new browser context, signed in as a person. All pages of a person share one session. */
  signedIn(person: Person, options?: ContextOptions): Promise<Page>
  /** Does the same with a new session, for a test that ends it. */
  signedInAnew(person: Person, options?: ContextOptions): Promise<Page>
  /** Creates a user of an account. */
  makeUser(user: { name: string; role: 'OPERATOR' | 'PUBLISHER' | 'ADVERTISER'; accountId: string }): Promise<Person>
  /** Closes all pages, and stops the program if it is this world's own. */
  stop(): Promise<void>
}

/** Shared by all test files that one process runs, one after the other. They end with the process. */
let browserOfAll: Promise<Browser> | undefined
let programOfAll: Promise<Program> | undefined
/**
 * The cookies of people who have signed in, by their e-mail: hashing a password is slow on purpose. They are kept for each program and
 * not for its address, because a program may get the port of one that has ended.
 */
const sessionsOf = new WeakMap<Program, Map<string, Promise<Cookie[]>>>()

/**
 * The real program with the built panel, and a browser. Test files share both, so each creates its own accounts and shops, and must
 * expect those of others.
 */
export function openWorld(): Promise<World> {
  programOfAll ??= startProgramOfAll()
  return worldOf(programOfAll, async () => {})
}

/** Does the same with a separate program, for its own settings or for an installation without anything else. */
export function openOwnWorld(options: ProgramOptions = {}): Promise<World> {
  return worldOf(startWithOperator(options), (program) => program.stop())
}

async function startProgramOfAll(): Promise<Program> {
  const program = await startWithOperator()
  // Vitest ends its processes with SIGTERM.
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
  const sessions = sessionsOf.get(program) ?? new Map<string, Promise<Cookie[]>>()
  sessionsOf.set(program, sessions)
  const newContext = (options: ContextOptions) =>
    browser.newContext({ baseURL: program.url, ...WITHOUT_MOTION, ...options })
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
      const session = sessions.get(person.email) ?? signInOnce(person)
      sessions.set(person.email, session)
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

/** Holds back what a page requests from a path, by one method or any, until the returned function is called. */
export async function hold(page: Page, path: string, method?: string): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (method === undefined || route.request().method() === method) await released
    await route.continue()
  })
  return release
}

const NOTHING_MOVES =
  'document.getAnimations().every((each) => each.playState !== "running" || each.effect.getTiming().iterations === Infinity)'

/** The serious findings of axe in a page, as `rule: element` lines. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // A real fault is found again; an element that began to fade during the first look has settled by the second.
  const findings = await look(page)
  return findings.length === 0 ? findings : look(page)
}

async function look(page: Page): Promise<string[]> {
  // Wait for animations to end: contrast is undefined while something fades.
  await waitFor(() => page.evaluate<boolean>(NOTHING_MOVES))
  // Evaluated by the debugger, so the page's Content-Security-Policy does not apply.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE)
  // Return only the violations: the passed checks are far more, and would be described and sent too.
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
