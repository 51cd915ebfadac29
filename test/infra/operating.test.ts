import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const namesIn = (text: string) => new Set(text.match(/\bendcap_[a-z_]+/g))

it('docs/operating.md says of every metric when to worry, and names none that there is not', () => {
  expect(namesIn(read('docs/operating.md'))).toEqual(
    namesIn(read('infra/metrics/metrics.ts') + read('infra/metrics/requests.ts')),
  )
})
