import { fillBanners, fillRows } from './ads.js'
import { reportPageView, reportTransaction } from './events.js'
import { facts } from './facts.js'

const priceOf = () => Number(document.querySelector('.facts .price')?.textContent.replace(/[^\d.]/g, '') ?? 0)

fillRows()
fillBanners()
reportPageView()

// An order is reported once, however often its page is opened.
if (facts.order && !sessionStorage.getItem(facts.order.eventId)) {
  sessionStorage.setItem(facts.order.eventId, 'told')
  reportTransaction('PURCHASE', facts.order.products, facts.order.eventId)
}

for (const form of document.querySelectorAll('[data-transaction]')) {
  form.addEventListener('submit', () => {
    const { transaction, product } = form.dataset
    reportTransaction(transaction, [{ shopProductId: product, price: priceOf(), quantity: 1 }])
  })
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

// On wide screens the filters are open.
const wide = matchMedia('(min-width: 900px)')
for (const filters of document.querySelectorAll('[data-filters]')) {
  filters.querySelector('form').addEventListener('change', () => filters.querySelector('form').requestSubmit())
  if (wide.matches) filters.open = true
}
