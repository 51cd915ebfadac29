/** A viewable impression as the IAB and MRC define it: half of the ad for one second without a break. */
const SHARE_MIN = 0.5
const CONTINUOUS_MS = 1_000

/** Calls back once for each element that was at least half visible for a second without a break, on a visible and focused page. */
export function watchViews() {
  const seen = new WeakMap<Element, () => void>()
  /** Elements that are half visible, with their timers; a timer runs only while the page is in use. */
  const visible = new Map<Element, ReturnType<typeof setTimeout> | undefined>()
  const inUse = () => document.visibilityState === 'visible' && document.hasFocus()

  const startClock = (element: Element) => {
    clearTimeout(visible.get(element))
    visible.set(element, inUse() ? setTimeout(() => finish(element), CONTINUOUS_MS) : undefined)
  }
  const finish = (element: Element) => {
    if (!inUse()) return
    forget(element)
    observer.unobserve(element)
    seen.get(element)?.()
  }
  const forget = (element: Element) => {
    clearTimeout(visible.get(element))
    visible.delete(element)
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, intersectionRatio } of entries) {
        if (!isIntersecting || intersectionRatio < SHARE_MIN) forget(target)
        else if (!visible.has(target)) startClock(target)
      }
    },
    { threshold: SHARE_MIN },
  )
  const restart = () => {
    for (const element of visible.keys()) startClock(element)
  }
  document.addEventListener('visibilitychange', restart)
  addEventListener('focus', restart)
  addEventListener('blur', restart)

  return (element: Element, onView: () => void): void => {
    seen.set(element, onView)
    observer.observe(element)
  }
}
