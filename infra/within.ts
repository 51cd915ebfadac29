/** The result of a promise. @throws `late()` when it has not settled after `timeoutMs`; the work itself goes on. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let check: NodeJS.Immediate | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        // In a thread that got no processor time, a timer fires before answers that have arrived are read. Let them be read first.
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
