const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 20

/** Asks until it is true; the limit only ends what hangs. @throws after `timeoutMs`. */
export async function waitFor(check: () => boolean | Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`not reached within ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
