import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openApiText, stampOf } from '../openapi.ts'

const CLIENT = join(import.meta.dirname, '../../../../services/panel/web/client/schema.d.ts')

it('is made from the OpenAPI of this program; `make client` makes it anew', async () => {
  const [stamp] = readFileSync(CLIENT, 'utf8').split('\n', 1)
  expect(stamp).toBe(stampOf(await openApiText()))
})
