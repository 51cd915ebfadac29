import { expect, it } from 'vitest'
import { sharedWarnings } from '../../../../infra/event-log/kafka/warnings.ts'

it('many connections that say the same are heard once in half a minute', () => {
  const heard: string[] = []
  let now = 0
  const logger = sharedWarnings({ warn: (_details, message) => heard.push(message) }, () => now)
  const all = () => {
    for (let connection = 0; connection < 40; connection++) logger.warn({ connection }, 'connect ECONNREFUSED')
  }
  all()
  logger.warn({}, 'read ECONNRESET')
  now = 29_999
  all()
  expect(heard).toEqual(['connect ECONNREFUSED', 'read ECONNRESET'])
  now = 30_000
  all()
  expect(heard).toEqual(['connect ECONNREFUSED', 'read ECONNRESET', 'connect ECONNREFUSED'])
})

it('the messages that are remembered are limited, so that one may be heard again too early', () => {
  let heard = 0
  const logger = sharedWarnings({ warn: () => void heard++ }, () => 0)
  for (let round = 0; round < 2; round++)
    for (let broker = 0; broker < 101; broker++) logger.warn({}, `broker ${broker}`)
  expect(heard).toBe(202)
})
