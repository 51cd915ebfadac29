import { describe } from 'vitest'
import { appendSuite } from './append.suite.ts'
import { consumerSuite } from './consumer.suite.ts'
import { readingSuite } from './reading.suite.ts'
import { tailSuite } from './tail.suite.ts'
import { type EventLogHost, openLogWorld } from './world.ts'
import { writingSuite } from './writing.suite.ts'

/** What every implementation of EventLog promises. */
export function eventLogSuite(name: string, create: () => Promise<EventLogHost>): void {
  describe(`event log: ${name}`, () => {
    const world = openLogWorld(create)
    appendSuite(world)
    consumerSuite(world)
    tailSuite(world)
    readingSuite(world)
    writingSuite(world)
  })
}
