import { mkdtempSync, rmSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { LogUnavailable } from '../../../../infra/event-log/port.ts'
import { openSpool } from '../../../../services/intake/spool/spool.ts'

const original = { ...fs }
function replace(some: Partial<typeof fs>): void {
  Object.assign(fs, some)
  syncBuiltinESMExports()
}
afterEach(() => replace(original))

const refuse = () => Promise.reject(new Error('EROFS: read-only file system'))

test('a spool whose disk takes nothing refuses every append, and takes them again when it can', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spool-'))
  const spool = await openSpool({ folder })
  const append = (key: string) => spool.append([{ topic: 'transactions', key, value: Buffer.from(key) }])
  replace({
    rm: refuse,
    truncate: refuse,
    open: async (...args) => Object.assign(await original.open(...args), { write: refuse }),
  })
  for (const key of ['a', 'b']) await expect(append(key)).rejects.toThrow(LogUnavailable)
  replace(original)
  await append('c')
  expect((await spool.next())!.records.map(({ key }) => key)).toEqual(['c'])
  await spool.close()
  rmSync(folder, { recursive: true })
})
