import { expect, it } from 'vitest'
import { createShares } from '../../../../services/registry/resources/shares.ts'

it('gives each account its share, and all together no more than there is', () => {
  const shares = createShares({ what: 'imports', max: 3, ofAccountMax: 2, retryAfterSeconds: 5 })
  const refusal = (accountId: string) => {
    try {
      shares.begin(accountId)
      return null
    } catch (error) {
      return error
    }
  }
  const [first] = [shares.begin('a'), shares.begin('a')]
  expect(refusal('a')).toMatchObject({
    code: 'RATE_LIMITED',
    message: '2 imports of this account are already in progress',
    retryAfterSeconds: 5,
  })
  const ofOther = shares.begin('b')
  expect(refusal('b')).toMatchObject({ message: '3 imports are already in progress' })
  first!()
  expect(refusal('b')).toBeNull()
  expect(refusal('b')).not.toBeNull()
  ofOther()
  expect(refusal('c')).toBeNull()
})
