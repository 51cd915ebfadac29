import { openEmbeddedAnalytics } from '../../../../infra/analytics/embedded/analytics.ts'

/** Opens a store in the folder that it is given, and ends by a signal, or as a process does that has no memory left. */
const [folder, signal] = process.argv.slice(2) as [string, NodeJS.Signals?]
const analytics = await openEmbeddedAnalytics({ folder })
await analytics.ping()
if (signal === undefined) process.abort()
process.kill(process.pid, signal)
