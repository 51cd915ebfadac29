import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../infra/config.ts'
import { start, stopOnSignals } from '../main.ts'
import { createApi } from './api.ts'
import { loadDemoShop } from './load.ts'

/** Everything embedded with a demo shop: what `make run` starts. The operator's token is kept beside the data. */
const dataFolder = process.env.DATA_DIR ?? './data'
const token = process.env.BOOTSTRAP_TOKEN ?? keptToken(join(dataFolder, 'bootstrap-token'))
const config = readConfig({
  LOG_LEVEL: 'warn',
  SIGNALS_INTERVAL_SECONDS: '20',
  ...process.env,
  DATA_DIR: dataFolder,
  BOOTSTRAP_TOKEN: token,
})

const server = await start(config)
stopOnSignals(server)
const shop = await loadDemoShop(createApi({ url: server.url, token }), Date.now())

const units = shop.units.map((unit) => `  ${unit.algorithm.padEnd(24)} ${unit.slotHash}`).join('\n')
process.stdout.write(`
Endcap is running at ${server.url}
  API reference        ${server.url}/docs
  operator's token     in ${join(dataFolder, 'bootstrap-token')}
  demo shop            ${shop.shopId}, ${shop.products.length} products${shop.created ? '' : ' (from an earlier start)'}

Ad units (slotHash):
${units}

Ask for ads:
  curl -s ${server.url}/v1/dsa/raw/batch -H 'content-type: application/json' -H 'cid: me' \\
    -d '{"targeting":[{"slotHash":"${shop.units.find((u) => u.algorithm === 'CONTEXT_MATCH')?.slotHash}","adCount":3,"searchData":"espresso machine"}]}'

Follow one product from the feed to an attributed sale: make tour (in another terminal). Ctrl-C stops.
`)

function keptToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    const made = randomBytes(32).toString('base64url')
    mkdirSync(dataFolder, { recursive: true })
    writeFileSync(file, `${made}\n`, { mode: 0o600 })
    return made
  }
}
