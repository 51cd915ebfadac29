import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { expect, it } from 'vitest'

/** Shown to the authors of shops; not run. */
const EXAMPLES = 'services/panel/web/pages/publisher/unit-code/examples.ts'

it('uses no ids of the browser that exist only on secure pages', async () => {
  const files: string[] = []
  for await (const file of glob('services/{panel,demo/shop,selection/script}/web/**/*.{ts,tsx,js}')) files.push(file)
  expect(files.length).toBeGreaterThan(100)
  const using = files.filter((file) => /crypto\.randomUUID\(/.test(readFileSync(file, 'utf8')))
  expect(using).toEqual([EXAMPLES])
})
