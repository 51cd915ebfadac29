const SHARE = 0.5
const SEEN_MS = 1000

const callbacks = new WeakMap()
/** Elements that are half visible, with their timers; a timer runs only while the page is visible. */
const visible = new Map()

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, intersectionRatio } of entries) {
      if (intersectionRatio < SHARE) stop(target)
      else if (!visible.has(target)) start(target)
    }
  },
  { threshold: SHARE },
)

/** Calls back once the element has been half visible for a second without a break, in a visible page. */
export function onceSeen(element, callback) {
  callbacks.set(element, callback)
  observer.observe(element)
}

function start(element) {
  clearTimeout(visible.get(element))
  const isShown = document.visibilityState === 'visible'
  visible.set(element, isShown ? setTimeout(() => finish(element), SEEN_MS) : undefined)
}

function finish(element) {
  stop(element)
  observer.unobserve(element)
  callbacks.get(element)()
}

function stop(element) {
  clearTimeout(visible.get(element))
  visible.delete(element)
}

document.addEventListener('visibilitychange', () => {
  for (const element of visible.keys()) start(element)
})
