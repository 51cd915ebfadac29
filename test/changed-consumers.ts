import type { EventLog, LogConsumer } from '../infra/event-log/port.ts'

/** The log, with consumers some of whose methods are others, such as ones that fail, wait or count the calls. */
export function withChangedConsumers(log: EventLog, change: (consumer: LogConsumer) => Partial<LogConsumer>): EventLog {
  return {
    ...log,
    async consumer(options) {
      const consumer = await log.consumer(options)
      return { ...consumer, ...change(consumer) }
    },
  }
}
