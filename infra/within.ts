/** @throws `late()` when the promise has not settled after `timeoutMs`. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(late())
    // A thread that was kept from running finds its timers due before it has read the answers that are there.
    timer = setTimeout(() => setImmediate(fail), Math.max(0, timeoutMs))
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
