import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { documentFacets } from '../../../infra/product-index/document.ts'
import { anOffer } from './offer.fixture.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

function heapBytes(): number {
  gc()
  return process.memoryUsage().heapUsed
}

it('the facets that are kept of long category paths take as little as those of ordinary ones', () => {
  const levels = Array.from({ length: 31 }, (_, level) => `level ${level} of a shop`).join(' > ')
  const before = heapBytes()
  for (let n = 0; n < 4_000; n++) documentFacets(anOffer({ productTypes: [`${n} > ${levels}`] }))
  expect(heapBytes() - before).toBeLessThan(9_000_000)
})
