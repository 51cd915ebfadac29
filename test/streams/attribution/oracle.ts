import type { JudgedEvent, Transaction, TransactionReturn } from '../../../schemas/records/events.ts'
import type { Happening } from './happenings.ts'
import type { StoredLine } from './world.ts'

const HOUR_MS = 3_600_000

/**
 * The rules of attribution as loops over all events, in any order except that of the registry. It is the oracle for the SQL, and
 * therefore uses nothing from `services/domain/attribution`.
 */
export function attributedByHand(happenings: readonly Happening[]): StoredLine[] {
  const values = <K extends Happening['topic']>(topic: K) =>
    happenings.filter((each) => each.topic === topic).map((each) => each.value) as Extract<
      Happening,
      { topic: K }
    >['value'][]
  const touches = values('judged-events')
  const transactions = values('transactions')
  const entries = values('registry')

  const samePerson = personsOf([
    ...touches.map((each) => ({ ...each, shopId: each.claims.shopId, isProven: each.proof !== 'ANONYMOUS' })),
    ...[...transactions, ...values('page-views')].map((each) => ({ ...each, isProven: each.proof !== 'ANONYMOUS' })),
    ...values('emissions').map((each) => ({ ...each, receivedAt: each.occurredAt, isProven: false })),
  ])

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

  /** The trust setting at a time. A shop's entries are in the order of their versions. */
  const trustAt = (shopId: string, at: number) => {
    let trust = 'OPEN'
    for (const entry of entries) {
      if (entry.kind === 'Shop' && entry.id === shopId && entry.updatedAt <= at) trust = entry.body.transactionTrust
    }
    return trust
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

  const returns = firstTold(values('transaction-returns'))

  const result: StoredLine[] = []
  for (const transaction of chosen(transactions)) {
    const { shopId, kind, eventId, cid, occurredAt, proof } = transaction
    const trust = trustAt(shopId, transaction.receivedAt)
    const isUnproven = trust === 'SIGNED_ONLY' && proof === 'ANONYMOUS' && kind === 'PURCHASE'
    const { click, view } = windowsOf(shopId)
    const inWindow = touches.filter((touch) => {
      const age = occurredAt - touch.occurredAt
      if (touch.verdict !== 'VALID' || touch.claims.shopId !== shopId || age < 0) return false
      const hours = touch.type === 'CLICK' ? click : view
      return hours > 0 && age <= hours * HOUR_MS && samePerson(shopId, cid, touch.cid)
    })
    const back = kind === 'PURCHASE' ? returns.filter((each) => each.shopId === shopId && each.eventId === eventId) : []
    const isWhole = back.some(({ lines }) => lines.length === 0)
    const units = new Map<string, number>()
    for (const each of back.flatMap(({ lines }) => lines)) {
      units.set(each.shopProductId, (units.get(each.shopProductId) ?? 0) + each.quantity)
    }
    for (const [line, { shopProductId, quantity, priceMicros }] of transaction.lines.entries()) {
      const left = units.get(shopProductId) ?? 0
      const returnedQuantity = isWhole ? quantity : Math.min(left, quantity)
      units.set(shopProductId, left - Math.min(left, quantity))
      let winner: JudgedEvent | null = null
      let won = ''
      for (const touch of inWindow) {
        const match = matchOf(touch, shopId, shopProductId, occurredAt)
        if (match === '' || isUnproven) continue
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
        proof,
        trust,
        returnedQuantity,
        returnedMicros: Math.floor((priceMicros * returnedQuantity) / quantity),
        outcome: isUnproven ? 'UNPROVEN' : winner ? 'CREDITED' : inWindow.length > 0 ? 'NO_MATCH' : 'NO_TOUCH',
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

/** A return id counts once in a shop: the first received, or for equal times the smaller content. */
function firstTold(returns: readonly TransactionReturn[]): TransactionReturn[] {
  const key = ({ eventId, lines }: TransactionReturn) =>
    [eventId, `[${lines.map((line) => `('${line.shopProductId}',${line.quantity})`).join(',')}]`].join('\u0001')
  const byId = Map.groupBy(returns, ({ shopId, returnId }) => `${shopId} ${returnId}`)
  return [...byId.values()].map((same) =>
    same.reduce((best, each) => {
      if (each.receivedAt !== best.receivedAt) return each.receivedAt < best.receivedAt ? each : best
      return key(each) < key(best) ? each : best
    }),
  )
}

interface Sighting {
  shopId: string
  cid: string
  uid: string | null
  receivedAt: number
  isProven: boolean
}

/** Whether two cids are one person: both are among the first cids of one uid, and that uid is among the first uids of each. */
function personsOf(sightings: readonly Sighting[]): (shopId: string, a: string, b: string) => boolean {
  const named = sightings.filter(({ uid }) => uid)
  /** The `max` values that were seen first, and as many that were proven first. */
  const firstOf = (these: Sighting[], value: (each: Sighting) => string, max: number) => {
    const first = (some: Sighting[]) => {
      const times = new Map<string, number>()
      for (const each of some) times.set(value(each), Math.min(each.receivedAt, times.get(value(each)) ?? Infinity))
      return [...times].sort(([a, at], [b, bt]) => at - bt || (a < b ? -1 : 1)).slice(0, max)
    }
    return new Set([...first(these), ...first(these.filter(({ isProven }) => isProven))].map(([name]) => name))
  }
  const cids = new Map<string, Set<string>>()
  const uids = new Map<string, Set<string>>()
  for (const [key, these] of Map.groupBy(named, ({ shopId, uid }) => `${shopId} ${uid}`)) {
    cids.set(
      key,
      firstOf(these, ({ cid }) => cid, 200),
    )
  }
  for (const [key, these] of Map.groupBy(named, ({ shopId, cid }) => `${shopId} ${cid}`)) {
    uids.set(
      key,
      firstOf(these, ({ uid }) => uid!, 20),
    )
  }
  const has = (shopId: string, cid: string, uid: string) =>
    cids.get(`${shopId} ${uid}`)!.has(cid) && uids.get(`${shopId} ${cid}`)?.has(uid) === true
  const all = [...new Set(named.map(({ uid }) => uid!))]
  return (shopId, a, b) =>
    a === b || all.some((uid) => cids.has(`${shopId} ${uid}`) && has(shopId, a, uid) && has(shopId, b, uid))
}

/** One content for each id: live before imported, proven before unproven, then the first received, then by content. */
function chosen(transactions: readonly Transaction[]): Transaction[] {
  const byId = Map.groupBy(transactions, ({ shopId, kind, eventId }) => JSON.stringify([shopId, kind, eventId]))
  return [...byId.values()]
    .map((same) => same.reduce((best, each) => (rank(each) < rank(best) ? each : best)))
    .filter(({ imported }) => !imported)
}

function rank({ imported, proof, receivedAt, occurredAt, cid, uid, currency, lines }: Transaction): string {
  const products = lines.map(({ shopProductId, quantity }) => `('${shopProductId}',10000000,${quantity}`).join(',')
  const order = [imported ? 1 : 0, proof === 'ANONYMOUS' ? 1 : 0, receivedAt, occurredAt]
  return [...order, currency, products, cid, uid === null ? 1 : 0, uid ?? ''].join('\u0001')
}
