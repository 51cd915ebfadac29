/**
 * Every measure in turn, each in a process of its own: `make bench [DATA=folder]`.
 * Relevance needs real data: DATA names a folder with `icecat/` and `orders/`.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const data = process.argv[2]
const scripts: [name: string, args: string[]][] = [
  ['selection', []],
  ['intake', []],
  ['sink', []],
  ['attribution', []],
  ['feed', []],
  ...(data
    ? ([
        ['ndcg', [join(data, 'icecat')]],
        ['also-bought', [join(data, 'orders')]],
        ['main-job', [join(data, 'icecat')]],
      ] as [string, string[]][])
    : []),
]

const failed: string[] = []
for (const [name, args] of scripts) {
  console.log(`\n== ${name}`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: 'inherit',
  })
  if (status !== 0) failed.push(name)
}
if (failed.length > 0) {
  console.error(`did not finish: ${failed.join(', ')}`)
  process.exit(1)
}
