import { fillBanners, fillRows } from './ads.js'
import { reportPageView, reportTransaction } from './events.js'
import { facts } from './facts.js'

const priceOf = () => Number(document.querySelector('.facts .price')?.textContent.replace(/[^\d.]/g, '') ?? 0)

fillRows()
fillBanners()
reportPageView()

// An order is reported only once, even if its page is opened again.
if (facts.order && !sessionStorage.getItem(facts.order.eventId)) {
  sessionStorage.setItem(facts.order.eventId, 'told')
  reportTransaction('PURCHASE', facts.order.products, facts.order.eventId)
}

/** The last addition to the cart. The next one waits for it, because the cart is a cookie that each answer sets anew. */
let added = Promise.resolve()
for (const form of document.querySelectorAll('[data-add]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    added = added.catch(() => {}).then(() => add(form))
  })
}

/** Adds to the cart without leaving the page, so that the focus stays where it is. */
async function add(form) {
  const answer = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  }).catch(() => null)
  if (!answer?.ok) return form.submit()
  showCart((await answer.json()).count, document.querySelector('[data-added]'))
  reportTransaction('CART', [{ shopProductId: form.dataset.add, price: priceOf(), quantity: 1 }])
}

function showCart(count, status) {
  const items = `${count} ${count === 1 ? 'item' : 'items'}`
  const link = document.querySelector('[data-cart]')
  link.setAttribute('aria-label', `Cart, ${items}`)
  link.querySelector('[data-cart-count]').textContent = String(count)
  const toCart = document.createElement('a')
  toCart.href = '/cart'
  toCart.textContent = 'Go to cart'
  status.replaceChildren(`Added to cart, which now has ${items}. `, toCart)
}

for (const heart of document.querySelectorAll('[data-wish]')) {
  const key = `wish-${heart.dataset.wish}`
  const show = () => heart.setAttribute('aria-pressed', String(localStorage.getItem(key) !== null))
  heart.addEventListener('click', () => {
    if (localStorage.getItem(key) === null) {
      localStorage.setItem(key, '1')
      reportTransaction('WISHLIST', [{ shopProductId: heart.dataset.wish, price: priceOf(), quantity: 1 }])
    } else localStorage.removeItem(key)
    show()
  })
  show()
}

for (const gallery of document.querySelectorAll('[data-gallery]')) {
  gallery.querySelector('ul').addEventListener('click', (event) => {
    const link = event.target.closest('a')
    if (!link) return
    event.preventDefault()
    gallery.querySelector(':scope > img').src = link.href
    for (const other of gallery.querySelectorAll('a')) other.removeAttribute('aria-current')
    link.setAttribute('aria-current', 'true')
  })
}

for (const form of document.querySelectorAll('[data-language]')) {
  form.addEventListener('change', () => form.requestSubmit())
}

// On wide screens the filters are open.
const wide = matchMedia('(min-width: 900px)')
for (const filters of document.querySelectorAll('[data-filters]')) {
  filters.querySelector('form').addEventListener('change', () => filters.querySelector('form').requestSubmit())
  if (wide.matches) filters.open = true
}
