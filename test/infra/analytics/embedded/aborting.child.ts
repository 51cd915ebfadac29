import { openEmbeddedAnalytics } from '../../../../infra/analytics/embedded/analytics.ts'

/** Opens a store in the folder that it is given, and ends as a process does that has no memory left. */
const analytics = await openEmbeddedAnalytics({ folder: process.argv[2]! })
await analytics.ping()
process.abort()
