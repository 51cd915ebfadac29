/** The shopper's last events, kept for this tab. */
const KEY = 'last-events'
const KEPT_MAX = 40

const read = () => JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
const count = document.querySelector('[data-events-count]')
const list = document.querySelector('[data-events-list]')
const dialog = document.querySelector('dialog.events')

export function noteEvent({ name, status }) {
  sessionStorage.setItem(KEY, JSON.stringify([{ name, status, at: Date.now() }, ...read()].slice(0, KEPT_MAX)))
  show()
}

function show() {
  const notes = read()
  count.textContent = String(notes.length)
  list.replaceChildren(
    ...notes.map(({ name, status, at }) => {
      const item = document.createElement('li')
      const time = document.createElement('time')
      time.textContent = new Date(at).toLocaleTimeString('en-IE')
      const outcome = document.createElement('span')
      outcome.className = status === 202 ? 'taken' : 'refused'
      outcome.textContent = status === 202 ? 'taken' : status === 0 ? 'not reached' : `answered ${status}`
      item.append(time, ` ${name} `, outcome)
      return item
    }),
  )
}

document.querySelector('[data-events]').addEventListener('click', () => dialog.showModal())
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
show()
