import { closeSync, openSync } from 'node:fs'
import { openEmbeddedAnalytics } from '../../../../infra/analytics/embedded/analytics.ts'

/** Few enough free files that a statement opens the last of them at any of its steps. */
const FREE_MAX = 24

/**
 * Opens a store in the folder that it is given, and inserts rows and counts them while it may open only a few more files. Prints the
 * names of the errors, the number of inserts that succeeded, and the number of rows that are stored in the end.
 */
const [folder] = process.argv.slice(2) as [string]
const analytics = await openEmbeddedAnalytics({ folder })
const errors = new Map<string, string>()
let inserted = 0

async function insert(): Promise<void> {
  const row = { _topic: 'page-views', _partition: 0, _offset: inserted, id: `v${inserted}`, shopId: 'shop', cid: 'c' }
  await analytics.insert('page_views', [row], { token: row.id })
  inserted += 1
}
async function count(): Promise<number> {
  const [row] = await analytics.query<{ rows: number }>('SELECT toUInt32(count()) AS rows FROM page_views')
  return row!.rows
}
const noteError = (error: Error) => void errors.set(error.name, error.message)

/** Opens files until there may be no more. */
function openAll(): number[] {
  const files: number[] = []
  try {
    for (;;) files.push(openSync('/dev/null', 'r'))
  } catch {
    return files
  }
}

for (let free = 0; free <= FREE_MAX; free++) {
  const files = openAll()
  for (const file of files.splice(0, free)) closeSync(file)
  await insert().catch(noteError)
  await count().catch(noteError)
  for (const file of files) closeSync(file)
}
await insert()
const stored = await count()
process.stdout.write(`${JSON.stringify({ errors: Object.fromEntries(errors), inserted, stored })}\n`)
await analytics.close()
