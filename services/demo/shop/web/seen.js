const SHARE = 0.5
const SEEN_MS = 1000

const callbacks = new WeakMap()
const timers = new Map()

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, intersectionRatio } of entries) {
      if (intersectionRatio >= SHARE) start(target)
      else stop(target)
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
  if (timers.has(element) || document.visibilityState !== 'visible') return
  timers.set(
    element,
    setTimeout(() => {
      timers.delete(element)
      observer.unobserve(element)
      callbacks.get(element)()
    }, SEEN_MS),
  )
}

function stop(element) {
  clearTimeout(timers.get(element))
  timers.delete(element)
}

document.addEventListener('visibilitychange', () => {
  const waiting = [...timers.keys()]
  if (document.visibilityState === 'hidden') for (const element of waiting) stop(element)
})
