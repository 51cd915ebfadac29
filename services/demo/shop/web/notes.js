import { uuid } from './uuid.js'

/** The shopper's last events, kept for this tab. */
const KEY = 'last-events'
const KEPT_MAX = 40

const read = () => JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
const count = document.querySelector('[data-events-count]')
const list = document.querySelector('[data-events-list]')
const dialog = document.querySelector('dialog.events')

const OUTCOMES = {
  sent: () => 'Sent',
  accepted: () => 'Accepted',
  refused: (status) => `Refused (${status})`,
  lost: () => 'Not delivered',
}

/**
 * Lists an event as sent.
 * @returns a function that says later what became of it: `accepted`, `refused` (with the status) or `lost`. A page that is
 * left before the answer never calls it, and the next page goes on showing the event as sent.
 */
export function noteEvent(name) {
  const id = uuid()
  keep([{ id, name, outcome: 'sent', at: Date.now() }, ...read()].slice(0, KEPT_MAX))
  return (outcome, status) => keep(read().map((note) => (note.id === id ? { ...note, outcome, status } : note)))
}

function keep(notes) {
  sessionStorage.setItem(KEY, JSON.stringify(notes))
  show()
}

function show() {
  const notes = read()
  count.textContent = String(notes.length)
  list.replaceChildren(
    ...notes.map(({ name, outcome, status, at }) => {
      const item = document.createElement('li')
      const time = document.createElement('time')
      time.textContent = new Date(at).toLocaleTimeString('en-IE')
      const result = document.createElement('span')
      result.className = `outcome ${outcome}`
      result.textContent = OUTCOMES[outcome](status)
      item.append(time, ` ${name} `, result)
      return item
    }),
  )
}

document.querySelector('[data-events]').addEventListener('click', () => dialog.showModal())
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
// A page from the browser's back/forward cache does not know what later pages have sent.
addEventListener('pageshow', show)
show()
