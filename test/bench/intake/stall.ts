/**
 * How long one request can block the event loop: the worst bodies, queries and headers that we can think of, sent to every route of
 * the OpenAPI document as a stranger, an advertiser and the operator. Prints the worst of each route. STALL=part of a path tests
 * only matching routes.
 */
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { limitSettings } from '../../../services/domain/limits.ts'
import { freePort } from '../../free-port.ts'
import { startProgram } from '../../program.ts'
import { type Attack, anyBodies, bodiesFor, type KnownIds, type Schema, sample } from './stall-bodies.ts'

/** A request that blocks the loop longer than this fails the check. */
const HELD_MAX_MS = 50
/** A slower request is repeated and the fastest run counts: a single slow run is the compiler or the garbage collector. */
const SUSPECT_MS = 25
const REPEATS = 4
const BODY_BYTES = 1024 * 1024 - 1_024
const LARGE_BYTES = 64 * 1024 * 1024 - 1_024
/** A request that is not answered within this time counts as unanswered. */
const ANSWER_WAIT_MS = 20_000
const TEXT_CHARS = 12_000
/** Routes that accept large bodies, with the name of the list in the body. */
const LARGE: Readonly<Record<string, string>> = { '/v1/ev/batch': 'events', '/v1/feed/product': 'entries' }

const RATES = Object.values(limitSettings).filter(({ setting }) => setting.endsWith('_PER_MINUTE'))
const HEADERS = [
  'authorization',
  'cookie',
  'cid',
  'user-agent',
  'referer',
  'accept',
  'x-forwarded-for',
  'content-type',
  'traceparent',
]

interface Operation {
  requestBody?: { content: Record<string, { schema?: Schema }> }
  parameters?: { name: string; in: string; schema: Schema }[]
}
interface Sent {
  method: string
  path: string
  body?: Buffer | string
  headers?: Record<string, string>
}

const probePort = await freePort()
const program = await startProgram({
  env: {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'stall-probe.ts')}`,
    STALL_PROBE_PORT: String(probePort),
    LOG_LEVEL: 'silent',
    // Rate limits off: a request that they refuse would block nothing.
    ...Object.fromEntries(RATES.map(({ setting }) => [setting, '0'])),
  },
})
const agent = new Agent({ keepAlive: true })
const { document, ids, advertiser } = await prepared()
const callers: Record<string, Record<string, string>> = {
  operator: { authorization: `Bearer ${program.token}` },
  advertiser: { authorization: `Bearer ${advertiser}` },
  stranger: {},
}

const worst: { route: string; ms: number; caller: string; attack: string; status: number }[] = []
let sentCount = 0
for (const [path, operations] of Object.entries(document.paths)) {
  if (process.env.STALL && !path.includes(process.env.STALL)) continue
  for (const [method, operation] of Object.entries(operations)) {
    const found = { route: `${method.toUpperCase()} ${path}`, ms: 0, caller: '', attack: '', status: 0 }
    for (const [caller, headers] of Object.entries(callers)) {
      for (const [attack, sent] of attacksOn(path, method, operation, caller)) {
        const { ms, status } = await heldBy({ ...sent, headers: { ...headers, ...sent.headers } })
        sentCount++
        if (ms > found.ms) Object.assign(found, { ms, caller, attack, status })
      }
    }
    worst.push(found)
    console.error(`${found.ms.toFixed(1)} ms: ${found.route}`)
  }
}
await program.stop()
agent.destroy()

worst.sort((a, b) => b.ms - a.ms)
console.log(`the worst that the event loop was held by one request, of ${sentCount}; milliseconds of its thread`)
console.table(worst.map((each) => ({ ...each, ms: Number(each.ms.toFixed(1)), attack: each.attack.slice(0, 60) })))
const atFault = worst.filter(({ ms }) => ms > HELD_MAX_MS)
console.log(
  atFault.length > 0 ? `${atFault.length} routes are over ${HELD_MAX_MS} ms` : `all are under ${HELD_MAX_MS} ms`,
)
if (atFault.length > 0) process.exitCode = 1

function* attacksOn(path: string, method: string, operation: Operation, caller: string): Generator<[string, Sent]> {
  const parameters = operation.parameters ?? []
  const fill = (given: string) => given.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '1')
  const filled = fill(path)
  const schema = operation.requestBody?.content['application/json']?.schema
  const body = schema && JSON.stringify(sample(schema, ids))
  const json = { 'content-type': 'application/json' }
  const plain: Sent = { method, path: filled, ...(body ? { body, headers: json } : {}) }

  yield ['as it should be', plain]
  for (const piece of ['a', '[', '%20']) {
    const text = piece.repeat(TEXT_CHARS / piece.length)
    const names = path.match(/(?<=\{)\w+(?=\})/g) ?? []
    for (const name of names) {
      yield [`path ${name} ${piece}`, { ...plain, path: fill(path.replace(`{${name}}`, text)) }]
    }
    for (const { name } of parameters.filter((each) => each.in === 'query')) {
      yield [`query ${name} ${piece}`, { ...plain, path: `${filled}?${name}=${text}` }]
    }
    yield [`query ${piece}`, { ...plain, path: `${filled}?${`${piece}&`.repeat(TEXT_CHARS / (piece.length + 1))}` }]
  }
  for (const name of caller === 'stranger' ? HEADERS : []) {
    for (const piece of ['a', ',', '; ', ' =']) {
      const text = piece.repeat(TEXT_CHARS / piece.length).trim()
      yield [`header ${name} ${piece}`, { ...plain, headers: { ...plain.headers, [name]: text } }]
    }
  }
  if (!operation.requestBody && method !== 'post') return
  const send = ([name, text]: Attack): [string, Sent] => [name, { ...plain, body: text, headers: json }]
  yield* anyBodies(BODY_BYTES).map(send)
  if (caller === 'stranger')
    yield [
      'gzip of blanks',
      { ...plain, body: gzipSync(Buffer.alloc(LARGE_BYTES, ' ')), headers: { ...json, 'content-encoding': 'gzip' } },
    ]
  // Other callers are refused before their bodies are read, or their bodies are validated in the same way.
  if (schema && (caller === 'operator' || !path.startsWith('/v1/panel'))) {
    for (const attack of bodiesFor(schema, ids, BODY_BYTES)) yield send(attack)
  }
  const list = LARGE[path]
  if (list && schema && caller === (list === 'events' ? 'stranger' : 'operator'))
    yield* largeBodies(list, schema).map(send)
}

function largeBodies(list: string, schema: Schema): Attack[] {
  const wrapped = (name: string, elements: string): Attack => [`large: ${name}`, `{"${list}":[${elements}]}`]
  const element = schema.properties![list]!.items!
  const several = element.anyOf ?? [element]
  const elementsMax = list === 'events' ? 1_000 : 10_000
  const bytes = LARGE_BYTES - 100
  const repeated = (text: string) =>
    Array(Math.min(elementsMax, Math.floor(bytes / (text.length + 1))))
      .fill(text)
      .join()
  return [
    ...anyBodies(LARGE_BYTES).filter(([name]) => /^\[\[\[\[$|long text|many names|blanks/.test(name)),
    wrapped('{}', repeated('{}')),
    wrapped('blanks', ' '.repeat(bytes)),
    wrapped('texts', repeated(JSON.stringify('a'.repeat(bytes / elementsMax - 10)))),
    wrapped('one element', `{"a":"${'a'.repeat(bytes - 20)}"}`),
    wrapped('too many', `${'0,'.repeat(bytes / 2)}0`),
    wrapped('lists', repeated(`[${'{},'.repeat(bytes / elementsMax / 3 - 10)}{}]`)),
    ...several.flatMap((each, i) =>
      bodiesFor(each, ids, Math.floor(bytes / elementsMax))
        .filter(([name]) => /^(fits|is full|.*: (\{\}|what fits))$/.test(name))
        .map(([name, text]) => wrapped(`${i} ${name}`, repeated(text))),
    ),
  ]
}

/** Milliseconds for which the request blocked the loop, in its fastest run. */
async function heldBy(sent: Sent): Promise<{ ms: number; status: number }> {
  let best = Infinity
  let status = 0
  for (let i = 0; i <= REPEATS; i++) {
    status = await answered(sent)
    best = Math.min(best, await heldMs())
    if (best < SUSPECT_MS) break
  }
  return { ms: best, status }
}

/** The status of the answer; 0 when the server closed the connection. */
function answered({ method, path, body, headers }: Sent): Promise<number> {
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request(
      new URL(program.url),
      { method: method.toUpperCase(), path, agent, headers: { ...headers, ...length } },
      (response) =>
        response
          .on('error', () => resolve(0))
          .on('end', () => resolve(response.statusCode!))
          .resume(),
    )
    asked
      .on('error', () => resolve(0))
      .on('close', () => resolve(0))
      .setTimeout(ANSWER_WAIT_MS, () => asked.destroy())
    asked.end(body)
  })
}

/** The longest blocked time since the last call. */
async function heldMs(): Promise<number> {
  // Wait until the probe has ticked after whatever still blocks the loop.
  await new Promise((resolve) => setTimeout(resolve, 6))
  return Number(await (await fetch(`http://127.0.0.1:${probePort}`)).text())
}

async function prepared() {
  const make = async (path: string, body: object) => {
    const answer = await program.call<{ id: string; token?: string }>('POST', `/v1/panel/${path}`, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const account = await make('accounts', { kind: 'PUBLISHER', name: 'Shops' })
  const brand = await make('accounts', { kind: 'ADVERTISER', name: 'Brand', sellerIds: ['brand'] })
  const { token } = await make('tokens', { accountId: brand.id, name: 'its', scopes: ['panel'] })
  const shop = await make('shops', {
    accountId: account.id,
    name: 'Shop',
    currency: 'EUR',
    lang: 'de',
    country: 'DE',
    timeZone: 'Europe/Berlin',
  })
  const placement = await make('placements', { shopId: shop.id, name: 'Listing', kind: 'PRODUCT' })
  const unit = await make('ad-units', { placementId: placement.id, name: 'Top', algorithm: 'CONTEXT_MATCH' })
  const feed = await make('feeds', { shopId: shop.id, name: 'Catalogue' })
  const campaign = await make('campaigns', {
    accountId: brand.id,
    kind: 'SPONSORED',
    shopId: shop.id,
    name: 'Spring',
    budget: 100,
    cpc: 0.5,
    products: { ids: ['a', 'b'] },
  })
  const known: KnownIds = {
    ...{ accountId: account.id, shopId: shop.id, placementId: placement.id, adUnitId: unit.id, feedId: feed.id },
    ...{ campaignId: campaign.id, businessSlotId: unit.id, businessSlot: unit.id, slotHash: unit.id },
  }
  const { body } = await program.call<{ paths: Record<string, Record<string, Operation>> }>('GET', '/docs/json')
  return { document: body, ids: known, advertiser: token! }
}
