import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
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
/** Only ends what hangs. */
const ACTION_TIMEOUT_MS = 120_000

export interface Person {
  email: string
  password: string
}

/** The operator that every program of these tests starts with. */
export const OPERATOR: Person = { email: 'operator@shop.example', password: 'a-password-of-tests' }

export interface World {
  program: Program
  browser: Browser
  /** Opens a blank page in a new browser context, signed in as a person. */
  signedIn(person: Person, options?: Parameters<Browser['newContext']>[0]): Promise<Page>
  /** Creates a user of an account. */
  makeUser(user: { name: string; role: 'PUBLISHER' | 'ADVERTISER'; accountId: string }): Promise<Person>
  stop(): Promise<void>
}

/** Of all files that a process of the tests runs, one after the other. It ends with the process. */
let browserOfAll: Promise<Browser> | undefined

/** Starts the real program with the built panel, and a browser where none runs yet. */
export async function openWorld(options: ProgramOptions = {}): Promise<World> {
  const env = { OPERATOR_EMAIL: OPERATOR.email, OPERATOR_PASSWORD: OPERATOR.password, ...options.env }
  browserOfAll ??= launchBrowser()
  const [program, browser] = await Promise.all([startProgram({ ...options, env }), browserOfAll])
  return {
    program,
    browser,
    async signedIn(person, contextOptions) {
      const context = await browser.newContext({ baseURL: program.url, ...contextOptions })
      await signIn(context, contextOptions?.baseURL ?? program.url, person)
      return context.newPage()
    },
    async makeUser({ name, role, accountId }) {
      const person = { email: `${name.toLowerCase().replace(/\W+/g, '.')}@shop.example`, password: OPERATOR.password }
      await must(program.call('POST', '/v1/panel/users', { ...person, name, role, accountId }))
      return person
    },
    async stop() {
      await Promise.all(browser.contexts().map((each) => each.close()))
      await program.stop()
    },
  }
}

export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-background-networking', ...args],
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
