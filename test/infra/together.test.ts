import { expect, test } from 'vitest'
import { sentTogether, sharedNext } from '../../infra/together.ts'

function recording(max: number) {
  const requests: number[][] = []
  const ask = sentTogether(async (items: number[]) => {
    requests.push(items)
    if (items.includes(13)) throw new Error('no 13')
    return items.map((item) => item * 10)
  }, max)
  return { ask, requests }
}

test('what is asked in one moment is one request, and each caller gets its own answer', async () => {
  const { ask, requests } = recording(100)
  expect(await Promise.all([ask(3), ask(1), ask(2)])).toEqual([30, 10, 20])
  expect(await ask(4)).toBe(40)
  expect(requests).toEqual([[3, 1, 2], [4]])
})

test('more than one request may take is sent as several, and what fails of one fails its callers alone', async () => {
  const { ask, requests } = recording(2)
  const answers = await Promise.allSettled([1, 2, 12, 13, 5].map(ask))
  expect(requests).toEqual([[1, 2], [12, 13], [5]])
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message))).toEqual([
    10,
    20,
    'no 13',
    'no 13',
    50,
  ])
  expect(await ask(6)).toBe(60)
})

test('a shared call begins after all who share it have asked', async () => {
  const begun: string[] = []
  const endings: (() => void)[] = []
  const ask = sharedNext(async () => {
    const name = `call ${begun.length + 1}`
    begun.push(name)
    await new Promise<void>((resolve) => endings.push(resolve))
    if (name === 'call 2') throw new Error(name)
    return name
  })
  const first = ask()
  await expect.poll(() => begun).toEqual(['call 1'])
  const meanwhile = [ask(), ask()].map((asked) => asked.catch(({ message }: Error) => `${message} has failed`))
  expect(begun).toEqual(['call 1'])
  endings[0]!()
  expect(await first).toBe('call 1')
  await expect.poll(() => begun).toEqual(['call 1', 'call 2'])
  const last = ask()
  endings[1]!()
  expect(await Promise.all(meanwhile)).toEqual(['call 2 has failed', 'call 2 has failed'])
  await expect.poll(() => begun).toEqual(['call 1', 'call 2', 'call 3'])
  endings[2]!()
  expect(await last).toBe('call 3')
})
