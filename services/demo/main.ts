import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { InvalidConfig, readConfig, settingNames } from '../../infra/config.ts'
import { httpAddress, Integer, readSettings, Text } from '../../infra/settings.ts'
import { lastWords } from '../domain/errors.ts'
import { createUuid } from '../domain/identity/uuid.ts'
import { throwUnlessFree } from '../http/listen.ts'
import { keepFilesPrivate } from '../process/data-folder.ts'
import { keptText } from '../process/kept-text.ts'
import { misspeltSettings } from '../process/misspelt-settings.ts'
import { stopOnSignals } from '../process/stop-on-signals.ts'
import { namingSetting, start } from '../start.ts'
import { createApi } from './api.ts'
import { demoCatalogue } from './catalogue/products.ts'
import { DEMO_PASSWORD, DEMO_USERS, passwordProblem, reachProblem, SHOP_NAME } from './load/accounts.ts'
import { bannerImages } from './load/display.ts'
import { keptDemo, loadedBefore, removeCutOff } from './load/kept.ts'
import { createShopApp } from './shop/app.ts'
import { createShelf } from './shop/shelf.ts'

/** `make run`: everything embedded, with a demo and its shop front. The operator's token is kept in the data folder. */
const say = (text: string) => process.stdout.write(text)
const now = Date.now

const demoSettings = Type.Object({ DEMO_PORT: Integer(1, 65_535, 8081), DEMO_PASSWORD: Text(DEMO_PASSWORD) })

async function main(): Promise<void> {
  keepFilesPrivate()
  const dataFolder = process.env.DATA_DIR ?? './data'
  const problems: string[] = []
  const { DEMO_PORT: shopPort, DEMO_PASSWORD: password } = readSettings(demoSettings, process.env, problems)
  problems.push(...[passwordProblem(password)].filter((problem) => problem !== null))
  if (problems.length > 0) throw new InvalidConfig(problems.join('\n'))
  const token = process.env.BOOTSTRAP_TOKEN ?? keptToken(dataFolder)
  const config = readConfig({
    LOG_LEVEL: 'warn',
    SIGNALS_INTERVAL_SECONDS: '20',
    // On a busy laptop a late ad is better than none.
    SELECTION_DEADLINE_MS: '300',
    ...process.env,
    DATA_DIR: dataFolder,
    BOOTSTRAP_TOKEN: token,
  })

  const names = [...settingNames, ...Object.keys(demoSettings.properties)]
  for (const warning of misspeltSettings(process.env, names)) say(`${warning}\n`)

  const loaded = loadedBefore(dataFolder)
  const problem = reachProblem(config.httpHost, { password, loaded })
  if (problem) throw new InvalidConfig(problem)
  // Checked early, so that the demo is not loaded in vain.
  const ofDemo = namingSetting({ port: 'DEMO_PORT', host: 'HTTP_HOST' })
  await throwUnlessFree(shopPort, config.httpHost).catch(ofDemo)
  removeCutOff(dataFolder)
  say('Starting …\n')
  const images = loaded === 'NO' ? bannerImages() : Promise.resolve(new Map())
  // An error is reported where they are awaited.
  images.catch(() => {})
  const server = await start(config)
  const stops = [server.stop]
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  stopOnSignals(stop, config)

  async function openShop(): Promise<void> {
    const products = demoCatalogue()
    const shopUrl = httpAddress(config.httpHost, shopPort)
    const demo = await keptDemo(dataFolder, {
      password,
      api: createApi({ url: server.url, token }),
      log: server.log,
      products,
      images,
      shopUrl,
      now: now(),
      onStep: (step) => say(`  loading the demo: ${step}\n`),
    })
    const shop = await createShopApp({
      ...demo,
      shelf: createShelf(products),
      adServer: config.publicUrl,
      uuid: createUuid({ now, randomBytes }),
    })
    await shop.listen({ host: config.httpHost, port: shopPort }).catch(ofDemo)
    stops.push(() => shop.close())
    const shown = demo.hasOwnPassword ? 'yours, of DEMO_PASSWORD' : DEMO_PASSWORD
    say(welcome({ panelUrl: `${config.publicUrl}/panel/`, apiUrl: config.publicUrl, shopUrl, dataFolder, shown }))
  }
  try {
    await openShop()
  } catch (error) {
    await stop()
    throw error
  }
}

function welcome(at: { panelUrl: string; apiUrl: string; shopUrl: string; dataFolder: string; shown: string }): string {
  const users = DEMO_USERS.map(
    ({ email, role, name }) => `    ${email.padEnd(24)} ${role.toLowerCase().padEnd(11)} ${name}`,
  )
  return `
Endcap is running. Ctrl-C stops it.

  Shop     ${at.shopUrl}   ${SHOP_NAME}, invented
  Panel    ${at.panelUrl}   password of all: ${at.shown}
${users.join('\n')}
  API      ${at.apiUrl}/docs   operator's token in ${join(at.dataFolder, 'bootstrap-token')}

Try this:
  1. In the shop, search for "noise cancelling headphones", click a sponsored product and buy it.
  2. In the panel as shop@demo.example, see the sale in the reports within seconds, and why it was credited.
  3. As shop@demo.example, accept a banner that waits in moderation, and find it in the shop.
  4. In another terminal: make traffic (shoppers by the dozen), or make tour (the same story with curl).

`
}

function keptToken(dataFolder: string): string {
  mkdirSync(dataFolder, { recursive: true })
  return keptText(join(dataFolder, 'bootstrap-token'), () => randomBytes(32).toString('base64url'))
}

main().catch((error) => {
  process.stderr.write(lastWords(error))
  process.exit(1)
})
