/**
 * Calls back once what follows the element may move without anyone seeing it: the element lies wholly below what is on
 * the screen, or is not rendered.
 */
export function whenOutOfSight(element: Element, onOutOfSight: () => void): void {
  const observer = new IntersectionObserver(([entry]) => {
    const { isIntersecting, boundingClientRect, rootBounds } = entry!
    const below = boundingClientRect.top >= (rootBounds?.bottom ?? innerHeight)
    if (isIntersecting || (boundingClientRect.height > 0 && !below)) return
    observer.disconnect()
    onOutOfSight()
  })
  observer.observe(element)
}
