import { picturePath, productPath } from '../../catalogue/feed.ts'
import { type Product, priceOf } from '../../catalogue/products.ts'
import type { Basket } from '../basket.ts'
import { bannerPlace } from '../cards.ts'
import type { ShopVisit } from '../context.ts'
import { money } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { ShopPage } from '../layout.ts'

const FREE_DELIVERY_FROM = 49
const DELIVERY = 4.9

export interface Line {
  product: Product
  quantity: number
}
export interface Order {
  id: string
  lines: readonly Line[]
}

export const linesOf = ({ shelf, basket }: { shelf: ShopVisit['shelf']; basket: Basket }): Line[] =>
  [...basket].flatMap(([id, quantity]) => {
    const product = shelf.product(id)
    return product ? [{ product, quantity }] : []
  })

const sumOf = (lines: readonly Line[]) =>
  lines.reduce((sum, { product, quantity }) => sum + priceOf(product) * quantity, 0)
const deliveryOf = (sum: number) => (sum >= FREE_DELIVERY_FROM ? 0 : DELIVERY)

export function cartPage(visit: ShopVisit): ShopPage {
  const lines = linesOf(visit)
  if (lines.length === 0) {
    return {
      title: 'Cart',
      body: html`<div class="wide narrow"><h1>Your cart is empty</h1><p><a class="button" href="/">Find something good</a></p></div>`,
    }
  }
  return {
    title: 'Cart',
    body: html`<div class="wide checkout"><section><h1>Cart</h1><ul class="lines">${lines.map(editableLine)}</ul></section>
<aside>${sums(lines)}<a class="button" href="/checkout">Go to checkout</a></aside></div>`,
  }
}

export function checkoutPage(visit: ShopVisit): ShopPage {
  const lines = linesOf(visit)
  const field = (name: string, label: string, value: string, more = html``) =>
    html`<label class="field">${label} <input name="${name}" value="${value}" required maxlength="100" ${more}></label>`
  return {
    title: 'Checkout',
    body: html`<div class="wide checkout"><section><h1>Checkout</h1>
<form method="post" action="/checkout" id="order">
${field('name', 'Name', 'Alex Fuchs', html`autocomplete="name"`)}
${field('street', 'Street and number', 'Lindenallee 12', html`autocomplete="street-address"`)}
<div class="pair">${field('zip', 'Postcode', '10435', html`autocomplete="postal-code"`)}${field('city', 'City', 'Berlin', html`autocomplete="address-level2"`)}</div>
<fieldset><legend>Payment</legend><label><input type="radio" name="pay" value="invoice" checked> Invoice (fictional, like everything here)</label></fieldset>
</form></section>
<aside>${sums(lines)}<button class="button" form="order">Buy now</button><p class="small">Nothing is charged or shipped.</p></aside></div>`,
  }
}

export function confirmationPage(visit: ShopVisit, { id, lines }: Order): ShopPage {
  const products = lines.map(({ product, quantity }) => ({
    shopProductId: product.id,
    price: round(priceOf(product) * quantity),
    quantity,
  }))
  return {
    title: 'Thank you',
    order: { eventId: id, products },
    body: html`<div class="wide checkout"><section><h1>Thank you!</h1>
<p>Your order <strong data-order="${id}">${id}</strong> is on its way to nowhere.</p>
<ul class="lines">${lines.map(plainLine)}</ul>
<p><a class="button" href="/">Continue shopping</a> <a class="button quiet" href="${visit.adServer}/panel/sales/${visit.shopId}/${id}" target="_blank" rel="noopener">See which ad earned it</a></p></section>
<aside>${sums(lines)}${bannerPlace(visit, { unit: 'rectangle', shape: 'rectangle', targeting: {}, own: html`` })}</aside></div>`,
  }
}

const round = (amount: number) => Math.round(amount * 100) / 100

const lineBody = ({
  product,
  quantity,
}: Line) => html`<a href="${productPath(product.id)}" tabindex="-1" aria-hidden="true"><img src="${picturePath(product.id)}" alt="" width="96" height="96"></a>
<p><a href="${productPath(product.id)}">${product.title}</a><br><small>${money(priceOf(product))} each</small></p>
<p class="total">${money(priceOf(product) * quantity)}</p>`

const plainLine = (line: Line) => html`<li>${lineBody(line)}<p class="quantity">${line.quantity} ×</p></li>`

const editableLine = (
  line: Line,
) => html`<li>${lineBody(line)}<form method="post" action="/cart/change" class="quantity"><input type="hidden" name="id" value="${line.product.id}">
<button name="by" value="-1" aria-label="One less">−</button><output>${line.quantity}</output><button name="by" value="1" aria-label="One more">+</button></form></li>`

function sums(lines: readonly Line[]): Html {
  const sum = sumOf(lines)
  const delivery = deliveryOf(sum)
  return html`<dl class="sums"><div><dt>Products</dt><dd>${money(sum)}</dd></div><div><dt>Delivery</dt><dd>${delivery === 0 ? 'free' : money(delivery)}</dd></div><div class="all"><dt>Total</dt><dd>${money(sum + delivery)}</dd></div></dl>`
}
