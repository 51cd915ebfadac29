import { startEmbeddedAnalytics } from '../../../../infra/analytics/embedded/analytics.ts'

/** Ends this process while its embedded engine runs: by an error that nothing catches, or with the code of the second argument. */
const [folder, code] = process.argv.slice(2) as [string, string?]
await startEmbeddedAnalytics({ folder })
if (code === undefined) throw new Error('an error that nothing catches')
process.exit(Number(code))
