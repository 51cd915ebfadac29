/** @throws `late()` when the promise has not settled after `timeoutMs`. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let check: NodeJS.Immediate | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        // A thread that was kept from running finds its timers due before it has read the answers that are there.
        check = setImmediate(() => reject(late()))
      },
      Math.max(0, timeoutMs),
    )
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
    clearImmediate(check)
  }
}
