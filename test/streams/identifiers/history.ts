import { sequence } from '../../../services/demo/sequence.ts'
import { type Happening, happened } from '../attribution/happenings.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
/** The setting: for how many days identifiers are kept. */
export const DAYS = 120
/** The end of a month. The identifiers of everything before it end. */
export const ENDED = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1)
/** A click may earn for 90 days, so purchases are settled until then. */
export const SETTLED = ENDED + 90 * DAY
/** When they end. */
export const DUE = ENDED + DAYS * DAY

/** Browsers of people, some of whom log in, who see, click, buy and come back, for five months around the end. */
export function history(shopId: string, seed: number): Happening[] {
  const random = sequence(seed).next
  const below = (n: number) => Math.floor(random() * n)
  const person = (at: number) => {
    const n = below(8)
    // Some browsers and logins are seen on one side of the end only.
    const side = at < ENDED ? 'old' : 'new'
    const cid = `browser-${n % 3 === 0 ? side : 'all'}-${n}-${below(2)}-${shopId}`
    return { cid, uid: random() < 0.4 ? `login-${n % 4 === 0 ? side : 'all'}-${n}-${shopId}` : null }
  }
  const at = () => ENDED - 60 * DAY + below(170 * 24) * HOUR
  const of = <T extends object>(time: number, more: T) => ({ ...person(time), at: time, shopId, ...more })
  const times = (count: number, make: (n: number) => Happening) => Array.from({ length: count }, (_, n) => make(n))
  const product = () => `p${below(4)}`
  const touches = times(120, (n) => {
    const type = random() < 0.5 ? ('CLICK' as const) : ('VIEW' as const)
    return happened.touch(of(at(), { eventId: `e${n}-${shopId}`, type, adId: product() }))
  })
  return [
    happened.shop({ id: shopId, version: 1, at: 0, clickWindowHours: 90 * 24, viewWindowHours: 30 * 24 }),
    ...touches,
    ...times(60, (n) =>
      happened.purchase(of(at(), { eventId: `o${n}-${shopId}`, products: [[product(), 3], product()] })),
    ),
    ...times(20, (n) => happened.pageView(of(at(), { id: `v${n}-${shopId}` }))),
    ...times(20, (n) => happened.emission(of(at(), { id: `r${n}-${shopId}` }))),
    happened.returned({ returnId: `r0-${shopId}`, eventId: `o0-${shopId}`, shopId, at: ENDED + DAY }),
  ]
}
