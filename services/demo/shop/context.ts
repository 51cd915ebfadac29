import type { Units } from '../load/units.ts'
import type { Basket } from './basket.ts'
import type { Shelf } from './shelf.ts'

/** What the shop front is made with. */
export interface ShopDeps {
  shelf: Shelf
  /** Where browsers reach the ad server. */
  adServer: string
  shopId: string
  units: Units
  uuid: () => string
}

/** One visitor at one page. */
export interface ShopVisit extends ShopDeps {
  /** Path and query. */
  url: string
  cid: string
  /** Of the demo shopper that is signed in. */
  uid: string | null
  basket: Basket
  assets: string
}

/** The two people that a visitor can sign in as. */
export const SHOPPERS = [
  { uid: 'alex', name: 'Alex' },
  { uid: 'sam', name: 'Sam' },
] as const
