/** The values that are filled into the examples of an ad unit. */
export interface UnitFacts {
  /** The origin of the ad server: https://ads.example */
  origin: string
  slotHash: string
  shopId: string
  currency: string
  isDisplay: boolean
  /** A value for each parameter that the algorithm needs. */
  parameters: Readonly<Record<string, unknown>>
}

const AD_COUNT = 4
const CLIENT_ID = 'the-shopper'
/** A browser's user agent: events of an unknown one would count as those of a bot. */
const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

const adsPath = ({ isDisplay }: UnitFacts) => (isDisplay ? '/v1/banner/dsa/raw/batch' : '/v1/dsa/raw/batch')
const adsBody = ({ slotHash, parameters }: UnitFacts) => ({
  targeting: [{ slotHash, adCount: AD_COUNT, ...parameters }],
})
const orderBody = ({ shopId, currency }: UnitFacts) => ({
  eventId: 'order-1001',
  kind: 'PURCHASE',
  shopId,
  currency,
  products: [{ shopProductId: 'SKU-1', price: 49.9, quantity: 1 }],
})

/** The script element for sponsored products. There is none for banners. */
export function scriptExample({ origin, slotHash, parameters }: UnitFacts): string {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [scriptName(name), String(value)]),
  )
  const address = `${origin}/v1/dsa/formatted/${slotHash}/endcap-ads/1/${AD_COUNT}`
  return `<div id="endcap-ads" style="min-height: 20em"></div>
<script async crossorigin
  src="${address}${query.size > 0 ? `?${query}` : ''}"></script>`
}

/** The script accepts one category. */
const scriptName = (name: string) => (name === 'categoryPaths' || name === 'categoryIds' ? 'categoryId' : name)

export function browserExample(unit: UnitFacts): string {
  return `const endcap = '${unit.origin}'
// The script tag has the same client ID.
const cid = localStorage['endcap-cid'] ??= crypto.randomUUID()

async function send(path, body) {
  const answer = await fetch(endcap + path, {
    method: 'POST',
    keepalive: true, // Arrives although the page is left.
    headers: { 'content-type': 'application/json', cid },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

// Request ads and render them.
const { data: [{ ads }] } = await send('${adsPath(unit)}', ${jsOf(adsBody(unit))})

// Report a view once half of an ad has been visible for a second, and a click when it is clicked.
const viewed = (ad) => send('/v1/dsa/view-event', { showId: ad.showId })
const clicked = (ad) => send('/v1/dsa/click-event', { showId: ad.showId })

// Report the order when it is placed. A price is that of all units; a repeated eventId counts once.
const purchased = () => send('/v1/ev/transaction', ${jsOf(orderBody(unit))})`
}

export function nodeExample(unit: UnitFacts): string {
  return `import { env } from 'node:process'

const endcap = '${unit.origin}'

async function send(path, body, shopper) {
  const answer = await fetch(endcap + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: \`Bearer \${env.ENDCAP_TOKEN}\`,
      cid: shopper.cid,
      'endcap-client-address': shopper.address,
      'endcap-client-user-agent': shopper.userAgent,
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

// From the shopper's request to your server.
const shopper = { cid: '${CLIENT_ID}', address: '203.0.113.7', userAgent: '${USER_AGENT}' }

// Request ads and render them.
const { data: [{ ads }] } = await send('${adsPath(unit)}', ${jsOf(adsBody(unit))}, shopper)

// Report when an ad was seen, and when it was clicked.
for (const ad of ads.slice(0, 1)) {
  await send('/v1/dsa/view-event', { showId: ad.showId }, shopper)
  await send('/v1/dsa/click-event', { showId: ad.showId }, shopper)
}

// Report the order when it is placed. A price is that of all units; a repeated eventId counts once.
await send('/v1/ev/transaction', ${jsOf(orderBody(unit))}, shopper)`
}

export function phpExample(unit: UnitFacts): string {
  return `<?php
const ENDCAP = '${unit.origin}';

function send(string $path, array $body, array $shopper): array {
    $request = curl_init(ENDCAP . $path);
    curl_setopt_array($request, [
        CURLOPT_POSTFIELDS => json_encode($body),
        CURLOPT_HTTPHEADER => [
            'content-type: application/json',
            'authorization: Bearer ' . getenv('ENDCAP_TOKEN'),
            'cid: ' . $shopper['cid'],
            'endcap-client-address: ' . $shopper['address'],
            'endcap-client-user-agent: ' . $shopper['userAgent'],
        ],
        CURLOPT_RETURNTRANSFER => true,
    ]);
    $answer = curl_exec($request);
    if (curl_getinfo($request, CURLINFO_RESPONSE_CODE) !== 200) {
        throw new RuntimeException($answer ?: curl_error($request));
    }
    return json_decode($answer, true);
}

// From the shopper's request to your server.
$shopper = ['cid' => '${CLIENT_ID}', 'address' => '203.0.113.7', 'userAgent' => '${USER_AGENT}'];

// Request ads and render them.
$ads = send('${adsPath(unit)}', ${phpOf(adsBody(unit))}, $shopper)['data'][0]['ads'];

// Report when an ad was seen, and when it was clicked.
foreach (array_slice($ads, 0, 1) as $ad) {
    send('/v1/dsa/view-event', ['showId' => $ad['showId']], $shopper);
    send('/v1/dsa/click-event', ['showId' => $ad['showId']], $shopper);
}

// Report the order when it is placed. A price is that of all units; a repeated eventId counts once.
send('/v1/ev/transaction', ${phpOf(orderBody(unit))}, $shopper);`
}

export function pythonExample(unit: UnitFacts): string {
  return `import json, os
from urllib.request import Request, urlopen

ENDCAP = '${unit.origin}'

def send(path, body, shopper):
    request = Request(ENDCAP + path, json.dumps(body).encode(), {
        'content-type': 'application/json',
        'authorization': 'Bearer ' + os.environ['ENDCAP_TOKEN'],
        'cid': shopper['cid'],
        'endcap-client-address': shopper['address'],
        'endcap-client-user-agent': shopper['user_agent'],
    })
    with urlopen(request, timeout=5) as answer:  # Raises unless it is answered with 200.
        return json.load(answer)

# From the shopper's request to your server.
shopper = {'cid': '${CLIENT_ID}', 'address': '203.0.113.7', 'user_agent': '${USER_AGENT}'}

# Request ads and render them.
ads = send('${adsPath(unit)}', ${pythonOf(adsBody(unit))}, shopper)['data'][0]['ads']

# Report when an ad was seen, and when it was clicked.
for ad in ads[:1]:
    send('/v1/dsa/view-event', {'showId': ad['showId']}, shopper)
    send('/v1/dsa/click-event', {'showId': ad['showId']}, shopper)

# Report the order when it is placed. A price is that of all units; a repeated eventId counts once.
send('/v1/ev/transaction', ${pythonOf(orderBody(unit))}, shopper)`
}

/** Values are strings, numbers, lists and objects, so their JSON is valid JavaScript and Python. */
const jsOf = (value: object): string => JSON.stringify(value, null, 2)
const pythonOf = (value: object): string => JSON.stringify(value, null, 4)

function phpOf(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return phpLiteral(value)
  const inner = `${indent}    `
  const items = Array.isArray(value)
    ? value.map((each) => phpOf(each, inner))
    : Object.entries(value).map(([name, each]) => `${phpLiteral(name)} => ${phpOf(each, inner)}`)
  return `[\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}]`
}

const phpLiteral = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value)
