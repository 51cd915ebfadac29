/** A handler of errors that acts on the first and then at most once in `everyMs`, with how many it passed over. */
export function seldom<T>(
  options: { everyMs: number; now: () => number },
  act: (error: T, passedOver: number) => void,
): (error: T) => void {
  let actedAt = Number.NEGATIVE_INFINITY
  let passedOver = 0
  return (error) => {
    if (options.now() - actedAt < options.everyMs) {
      passedOver++
      return
    }
    act(error, passedOver)
    actedAt = options.now()
    passedOver = 0
  }
}
