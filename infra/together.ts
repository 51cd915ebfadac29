import { chunksOf } from '../services/domain/chunks.ts'

/**
 * Batches calls that are made before the running code awaits: their items are sent together, in requests of at most `max` items.
 * @param send answers in the order of the items. An error of it goes to the caller of each item.
 */
export function sentTogether<Item, Answer>(
  send: (items: Item[]) => Promise<Answer[]>,
  max: number,
): (item: Item) => Promise<Answer> {
  let waiting: { item: Item; resolve: (answer: Answer) => void; reject: (error: Error) => void }[] = []

  async function sendSome(some: typeof waiting): Promise<void> {
    try {
      const answers = await send(some.map(({ item }) => item))
      for (const [i, { resolve }] of some.entries()) resolve(answers[i]!)
    } catch (error) {
      for (const { reject } of some) reject(error as Error)
    }
  }

  function sendWaiting(): void {
    const all = waiting
    waiting = []
    for (const some of chunksOf(all, max)) void sendSome(some)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // The microtask runs once the code that runs now has asked for all its items.
      if (waiting.push({ item, resolve, reject }) === 1) queueMicrotask(sendWaiting)
    })
}

/** Runs one call at a time: callers that come while it runs share its result. */
export function sharedCall<T>(call: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null
  return () => {
    underWay ??= call().finally(() => {
      underWay = null
    })
    return underWay
  }
}

/** Answers each caller with a call that begins after the caller has asked. Those who ask while a call is under way share the next. */
export function sharedNext<T>(call: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  return () => {
    next ??= underWay.then(() => {
      next = null
      const begun = call()
      underWay = begun.catch(() => {})
      return begun
    })
    return next
  }
}
