import {
  DeadLetterPage,
  DeadLetterQuery,
  LETTERS_PAGE_DEFAULT,
  REPLAY_DEFAULT,
  ReplayAnswer,
  ReplayBody,
} from '../../../schemas/http/panel/operations.ts'
import type { DeadLetter } from '../../../schemas/records/records.ts'
import { type TopicName, topicNames, topics } from '../../../schemas/topics.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import type { HttpServer } from '../../http/server.ts'
import { toIso } from '../resources/conversions.ts'
import type { Authorize } from '../rights/auth.ts'
import { operatorOnly } from '../rights/roles.ts'

export interface DeadLetterFilter {
  stream?: string
  topic?: TopicName
  /** Offsets in the topic `dead-letters`, [from, to). */
  fromOffset?: number
  toOffset?: number
  limit: number
}

interface Letter {
  /** Its offset in the topic `dead-letters`. */
  offset: number
  letter: DeadLetter
  replayed: boolean
}

export interface DeadLettersDeps {
  authorize: Authorize
  list(filter: DeadLetterFilter): Promise<{ letters: Letter[]; nextOffset: number | null }>
  replay(filter: DeadLetterFilter & { again?: boolean }): Promise<{ replayed: number; skipped: number; gone: number }>
}

/** Records that the streams could not process: GET /v1/panel/dead-letters, POST /v1/panel/dead-letters/replay. */
export function deadLettersApp({ authorize, list, replay }: DeadLettersDeps) {
  const onRequest = [authorize('panel'), operatorOnly]
  return async (server: HttpServer): Promise<void> => {
    server.get(
      '/v1/panel/dead-letters',
      {
        onRequest,
        schema: {
          operationId: 'listDeadLetters',
          summary: 'List records that could not be processed',
          querystring: DeadLetterQuery,
          response: { 200: DeadLetterPage },
        },
      },
      async (request) => {
        const { limit = LETTERS_PAGE_DEFAULT, cursor, ...filter } = request.query
        const fromOffset = cursor === undefined ? {} : { fromOffset: Number(cursor) }
        const { letters, nextOffset } = await list({ ...filter, ...fromOffset, limit })
        return { items: letters.map(letterView), nextCursor: nextOffset === null ? null : String(nextOffset) }
      },
    )

    server.post(
      '/v1/panel/dead-letters/replay',
      {
        onRequest,
        schema: {
          operationId: 'replayDeadLetters',
          summary: 'Process records again that could not be processed',
          description: 'Appends the records to their topics again. Nothing is counted twice.',
          body: ReplayBody,
          response: { 200: ReplayAnswer },
        },
      },
      async (request) => {
        const { fromId, toId, limit = REPLAY_DEFAULT, ...filter } = request.body
        return replay({
          ...filter,
          ...(fromId === undefined ? {} : { fromOffset: fromId }),
          ...(toId === undefined ? {} : { toOffset: toId }),
          limit,
        })
      },
    )
  }
}

function letterView({ offset: id, letter, replayed }: Letter) {
  const { stream, topic, partition, offset, key, code, message, failedAt, value } = letter
  return {
    ...{ id, stream, topic, partition, offset, key, code, message },
    failedAt: toIso(failedAt),
    replayed,
    bytes: value?.length ?? null,
    record: decoded(topic, value),
  }
}

function decoded(topicName: string, value: Buffer | null): unknown {
  const topic = topicNames.find((name) => name === topicName)
  if (!topic || value === null) return null
  try {
    return decode(topics[topic].record, value)
  } catch {
    // The record may have become a dead letter because it cannot be decoded.
    return null
  }
}
