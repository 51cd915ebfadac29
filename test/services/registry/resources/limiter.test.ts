import { expect, it } from 'vitest'
import { createLimiter } from '../../../../services/registry/resources/limiter.ts'

it('runs so much at once, lets so much wait in turn, and refuses more', async () => {
  const limited = createLimiter({ running: 2, waiting: 2 })
  const ends: (() => void)[] = []
  const started: number[] = []
  const work = (name: number) =>
    limited(async () => {
      started.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (name === 1) throw new Error('broken')
      return name
    })
  const works = [1, 2, 3, 4].map((name) => work(name).catch(String))
  await expect(work(5)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 2 })
  expect(started).toEqual([1, 2])
  while (started.length < 4 || ends.length > 0) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(works)).toEqual(['Error: broken', 2, 3, 4])
  expect(started).toEqual([1, 2, 3, 4])
  const last = work(6)
  await new Promise(setImmediate)
  ends.shift()!()
  expect(await last).toBe(6)
})
