import { chunksOf } from '../services/domain/chunks.ts'

/**
 * Sends what is asked for in one moment as one request, of at most `max` items: callers that ask for one thing each need not know of
 * one another.
 * @param send answers in the order of the items. What it throws is thrown to the caller of each.
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
      // Once all that runs now has asked.
      if (waiting.push({ item, resolve, reject }) === 1) queueMicrotask(sendWaiting)
    })
}

/** Answers each caller by a call that begins after it has asked. Those who ask while one is under way share the next. */
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
