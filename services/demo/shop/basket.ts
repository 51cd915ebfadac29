/** The quantities by product id, kept in a cookie: `P0001:2,P0007:1`. */
export type Basket = ReadonlyMap<string, number>

const LINES_MAX = 30
const QUANTITY_MAX = 20
const LINE = /^(P\d{4}):(\d{1,2})$/

/** Parses the cookie. Invalid lines are ignored. */
export function readBasket(cookie: string | undefined): Basket {
  const lines = (cookie ?? '').split(',').flatMap((part): [string, number][] => {
    const [, id, quantity] = LINE.exec(part) ?? []
    return id === undefined ? [] : [[id, Math.min(Number(quantity), QUANTITY_MAX)]]
  })
  return new Map(lines.slice(0, LINES_MAX))
}

export const writeBasket = (basket: Basket): string =>
  [...basket].map(([id, quantity]) => `${id}:${quantity}`).join(',')

/** Adds to the quantity of a product, or subtracts; a product without quantity is removed. */
export function changed(basket: Basket, id: string, by: number): Basket {
  const next = new Map(basket)
  const quantity = Math.min((next.get(id) ?? 0) + by, QUANTITY_MAX)
  if (quantity > 0) next.set(id, quantity)
  else next.delete(id)
  return new Map([...next].slice(0, LINES_MAX))
}

export const countOf = (basket: Basket): number => [...basket.values()].reduce((sum, quantity) => sum + quantity, 0)
