import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../../../infra/config.ts'
import { defaultLimits, limitSettings } from '../../../services/domain/limits.ts'

it('documents every limit with its default, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/limits.md'), 'utf8')
  const documented = [...page.matchAll(/^\| `(LIMIT_\w+)` \|.*\| `(\d+)` \|$/gm)].map(([, key, value]) => [
    key,
    Number(value),
  ])
  expect(documented).toEqual(Object.values(limitSettings).map((limit) => [limit.setting, limit.default]))
})

it('reads each limit from its key, within its bounds', () => {
  expect(readConfig({}).limits).toEqual(defaultLimits)
  for (const [name, { setting, min, max }] of Object.entries(limitSettings)) {
    expect(readConfig({ [setting]: String(max) }).limits).toEqual({ ...defaultLimits, [name]: max })
    expect(() => readConfig({ [setting]: String(min - 1) })).toThrow(setting)
    expect(() => readConfig({ [setting]: String(max + 1) })).toThrow(setting)
  }
})
