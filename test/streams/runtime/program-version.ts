import { vi } from 'vitest'
import type { RecordName } from '../../../schemas/topics.ts'

/** The parts of one version of the program that tests of two concurrent versions need. */
export type Program = Awaited<ReturnType<typeof loadProgram>>

/**
 * Loads the streams again, separate from every other copy: as this version has them, or as a later version would that has released
 * one more schema for each of these records, with a field that has a default.
 */
export async function loadProgram({ adds = [] }: { adds?: readonly RecordName[] } = {}) {
  vi.resetModules()
  vi.doMock('../../../schemas/avro/schemas.ts', async (load) => {
    const original = await load<typeof import('../../../schemas/avro/schemas.ts')>()
    const currentSchema = (name: RecordName) => {
      const schema = original.currentSchema(name)
      return adds.includes(name) ? laterSchema(schema) : schema
    }
    const releasedSchemas = (name: RecordName) => {
      const released = original.releasedSchemas(name)
      return adds.includes(name)
        ? [...released, { version: released.length + 1, schema: currentSchema(name) }]
        : released
    }
    return { currentSchema, releasedSchemas }
  })
  try {
    const [codec, judge, sink, pipeline, follower, snapshot, traffic, embedded, kafka] = await Promise.all([
      import('../../../schemas/wire/codec.ts'),
      import('../../../streams/judge/judge.ts'),
      import('../../../streams/sink/sink.ts'),
      import('../../../streams/runtime/pipeline/pipeline.ts'),
      import('../../../services/replicas/registry-follower.ts'),
      import('../../../services/domain/snapshot.ts'),
      import('../../../services/replicas/traffic-follower.ts'),
      import('../../../infra/event-log/embedded/event-log.ts'),
      import('../../../infra/event-log/kafka/event-log.ts'),
    ])
    return {
      ...codec,
      ...judge,
      ...sink,
      ...pipeline,
      ...follower,
      ...snapshot,
      ...traffic,
      eventLogClient: embedded.eventLogClient,
      connectKafkaEventLog: kafka.connectKafkaEventLog,
    }
  } finally {
    vi.doUnmock('../../../schemas/avro/schemas.ts')
    // Test files share a process: whatever is loaded next must be this version again.
    vi.resetModules()
  }
}

function laterSchema(schema: object): object {
  const later = structuredClone(schema) as { fields: object[] }
  later.fields.push({ name: 'addedLater', type: ['null', 'string'], default: null, doc: 'Of a later version.' })
  return later
}
