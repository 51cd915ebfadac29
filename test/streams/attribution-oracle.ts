import type { JudgedEvent, Transaction } from '../../schemas/records.ts'
import type { Happening } from './attribution-events.ts'
import type { StoredLine } from './attribution-world.ts'

const HOUR_MS = 3_600_000

/** Attribution as DESIGN words it, by loops over everything, for any order of the happenings but that of the registry. */
export function attributedByHand(happenings: readonly Happening[]): StoredLine[] {
  const values = <K extends Happening['topic']>(topic: K) =>
    happenings.filter((each) => each.topic === topic).map((each) => each.value) as Extract<
      Happening,
      { topic: K }
    >['value'][]
  const touches = values('judged-events')
  const transactions = values('transactions')
  const entries = values('registry')

  const seen = new Set<string>()
  const note = (shopId: string, cid: string, uid: string | null) => uid && seen.add(JSON.stringify([shopId, cid, uid]))
  for (const each of touches) note(each.claims.shopId, each.cid, each.uid)
  for (const each of [...transactions, ...values('page-views'), ...values('emissions')])
    note(each.shopId, each.cid, each.uid)
  const uids = [...new Set([...seen].map((pair) => JSON.parse(pair)[2] as string))]
  const crowds = new Map<string, number>()
  for (const pair of seen) {
    const [shopId, , uid] = JSON.parse(pair) as string[]
    crowds.set(`${shopId} ${uid}`, (crowds.get(`${shopId} ${uid}`) ?? 0) + 1)
  }
  const samePerson = (shopId: string, a: string, b: string) =>
    a === b ||
    uids.some(
      (uid) =>
        crowds.get(`${shopId} ${uid}`)! <= 200 &&
        seen.has(JSON.stringify([shopId, a, uid])) &&
        seen.has(JSON.stringify([shopId, b, uid])),
    )

  const groupsOf = (shopId: string, id: string) => {
    let group: string | null = null
    for (const told of values('item-groups')) if (told.shopId === shopId && told.id === id) group = told.itemGroupId
    return group
  }

  const windowsOf = (shopId: string) => {
    let best = { version: 0, click: 14 * 24, view: 24 }
    for (const entry of entries) {
      if (entry.kind !== 'Shop' || entry.id !== shopId || entry.version < best.version) continue
      best = { version: entry.version, click: entry.body.clickWindowHours, view: entry.body.viewWindowHours }
    }
    return best
  }

  const listAt = (shopId: string, campaignId: string, at: number): string[] => {
    const versions = entries.flatMap((entry) =>
      entry.kind === 'Campaign' && entry.id === campaignId && entry.body.shopId === shopId ? [entry] : [],
    )
    versions.sort((a, b) => b.version - a.version)
    return (versions.find(({ updatedAt }) => updatedAt <= at) ?? versions.at(-1))?.body.attributionProductIds ?? []
  }

  const matchOf = (touch: JudgedEvent, shopId: string, product: string, at: number) => {
    const { kind, adId, itemGroupId, campaignId } = touch.claims
    if (kind === 'SPONSORED' && adId === product) return 'DIRECT'
    if (itemGroupId && groupsOf(shopId, product) === itemGroupId) return 'DIRECT'
    return listAt(shopId, campaignId, at).includes(product) ? 'HALO' : ''
  }

  const result: StoredLine[] = []
  for (const transaction of chosen(transactions)) {
    const { shopId, kind, eventId, cid, occurredAt } = transaction
    const { click, view } = windowsOf(shopId)
    const inWindow = touches.filter((touch) => {
      const age = occurredAt - touch.occurredAt
      if (touch.verdict !== 'VALID' || touch.claims.shopId !== shopId || age < 0) return false
      return age <= (touch.type === 'CLICK' ? click : view) * HOUR_MS && samePerson(shopId, cid, touch.cid)
    })
    for (const [line, { shopProductId }] of transaction.lines.entries()) {
      let winner: JudgedEvent | null = null
      let won = ''
      for (const touch of inWindow) {
        const match = matchOf(touch, shopId, shopProductId, occurredAt)
        if (match === '') continue
        if (winner && !beats(touch, match, winner, won)) continue
        winner = touch
        won = match
      }
      result.push({
        shopId,
        kind,
        eventId,
        line,
        cid,
        shopProductId,
        outcome: winner ? 'CREDITED' : inWindow.length > 0 ? 'NO_MATCH' : 'NO_TOUCH',
        match: won,
        touchType: winner?.type ?? '',
        touchEventId: winner?.eventId ?? '',
        campaignId: winner?.claims.campaignId ?? '',
      })
    }
  }
  const sortKey = (line: StoredLine) =>
    [line.shopId, line.kind, line.eventId, String(line.line).padStart(5, '0')].join('\u0001')
  return result.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

function beats(touch: JudgedEvent, match: string, other: JudgedEvent, otherMatch: string): boolean {
  if (touch.type !== other.type) return touch.type === 'CLICK'
  if (match !== otherMatch) return match === 'DIRECT'
  if (touch.occurredAt !== other.occurredAt) return touch.occurredAt > other.occurredAt
  return touch.eventId > other.eventId
}

/** One content for each id: live before imported, the earliest, then the smaller cid, then the fewer or smaller lines. */
function chosen(transactions: readonly Transaction[]): Transaction[] {
  const byId = Map.groupBy(transactions, ({ shopId, kind, eventId }) => JSON.stringify([shopId, kind, eventId]))
  return [...byId.values()]
    .map((same) => same.reduce((best, each) => (rank(each) < rank(best) ? each : best)))
    .filter(({ imported }) => !imported)
}

function rank({ imported, occurredAt, cid, uid, currency, lines }: Transaction): string {
  const products = lines.map(({ shopProductId }) => shopProductId).join(',')
  return [imported ? 1 : 0, occurredAt, cid, uid === null ? 1 : 0, uid ?? '', currency, products].join('\u0001')
}
