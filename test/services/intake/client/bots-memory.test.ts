import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createBotDetector } from '../../../../services/intake/client/client.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

function heapBytes(): number {
  gc()
  return process.memoryUsage().heapUsed
}

it('what is cached of User-Agents that are as long as headers may be takes as little as of those that are judged whole', () => {
  const isBot = createBotDetector()
  const before = heapBytes()
  for (let n = 0; n < 5_000; n++) isBot(`Mozilla/5.0 (X11; Linux x86_64; rv:140.${n}) ${'Gecko '.repeat(2_500)}`)
  expect(heapBytes() - before).toBeLessThan(9_000_000)
  expect(isBot('Googlebot/2.1')).toBe(true)
})
