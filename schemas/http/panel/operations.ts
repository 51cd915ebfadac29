import { Type } from 'typebox'
import { type TopicName, topicNames } from '../../topics.ts'
import { Body, Nullable, Time } from './common.ts'

const LETTERS_PAGE_MAX = 1_000
export const LETTERS_PAGE_DEFAULT = 100
const REPLAY_MAX = 10_000
export const REPLAY_DEFAULT = 1_000
const STREAM_CHARS_MAX = 100
/** No topic of Kafka has more partitions than this. */
const PARTITION_MAX = 100_000

const figures = {
  logged: Type.Integer({
    description: 'Records in the log: those that the streams have read, and those that wait to be read',
  }),
  stored: Type.Integer({
    description:
      'How many of them have a row in the analytics store. For ad-events: how many have a verdict in the log',
  }),
  duplicates: Type.Integer({ description: 'Rows in excess of one per record. Always 0 unless something is wrong' }),
  deadLetters: Type.Integer({ description: 'Records that could not be processed' }),
  uncounted: Type.Integer({
    description: 'Offsets that were stored before the program kept counts and have not been counted yet',
  }),
  lagMs: Type.Integer({
    description:
      'Age in milliseconds of the oldest record that is neither stored nor a dead letter; 0 if there is none',
  }),
}

/** Answer of GET /v1/panel/audit: once lagMs and uncounted are 0, logged = stored + deadLetters. */
export const AuditAnswer = Type.Object({
  ...figures,
  topics: Type.Array(Type.Object({ topic: Type.String({ description: 'Topic of the log' }), ...figures })),
})

/** Topics whose records have one row each. */
export const checkedTopics = [
  'emissions',
  'ad-events',
  'judged-events',
  'corrections',
  'transactions',
  'transaction-returns',
  'page-views',
  'feed-issues',
  'registry',
] as const satisfies readonly TopicName[]

const Offset = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const AuditCheckQuery = Type.Object(
  {
    topic: Type.Enum([...checkedTopics], { description: 'Topic of the log' }),
    partition: Type.Optional(
      Type.Integer({ minimum: 0, maximum: PARTITION_MAX, description: 'Partition to check. Default: all partitions' }),
    ),
    fromOffset: Type.Optional(
      Offset('First offset to check. Requires `partition`. Default: the first offset of the log'),
    ),
    toOffset: Type.Optional(
      Offset('First offset that is no longer checked. Requires `partition`. Default: after the last stored record'),
    ),
    from: Type.Optional(Time('Check only records that were appended to the log at this time or later')),
    to: Type.Optional(Time('Check only records that were appended to the log before this time')),
  },
  { additionalProperties: false },
)

const checkFigures = {
  logged: Type.Integer({ description: 'Records in the log' }),
  stored: Type.Integer({ description: 'How many of them have a row' }),
  duplicates: Type.Integer({ description: 'Rows in excess of one per record' }),
  deadLetters: Type.Integer({ description: 'Records without a row that could not be processed' }),
  expired: Type.Integer({ description: 'Records without a row that are older than the table keeps rows' }),
  missing: Type.Integer({ description: 'Records without a row for which no reason is known' }),
}
const position = Type.Object({ partition: Type.Integer(), offset: Type.Integer() })

/** Answer of GET /v1/panel/audit/check: logged = stored + deadLetters + expired + missing. */
export const AuditCheckAnswer = Type.Object({
  ...checkFigures,
  partitions: Type.Array(
    Type.Object({
      partition: Type.Integer(),
      from: Type.Integer({ description: 'First offset that was checked' }),
      to: Type.Integer({ description: 'First offset that was no longer checked' }),
      next: Nullable(
        Type.Integer({ description: 'fromOffset with which the next call continues; null if everything is checked' }),
      ),
      ...checkFigures,
    }),
  ),
  missingAt: Type.Array(position, { description: 'Positions of the first missing records' }),
  repeatedAt: Type.Array(position, { description: 'Positions of the first records that have several rows' }),
})

const Topic = Type.Enum([...topicNames], { description: 'Only records of this topic' })
const Stream = Type.String({
  minLength: 1,
  maxLength: STREAM_CHARS_MAX,
  description: 'Only records that this stream could not process',
})

export const DeadLetterQuery = Type.Object(
  {
    stream: Type.Optional(Stream),
    topic: Type.Optional(Topic),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LETTERS_PAGE_MAX,
        description: `Maximum number of records on a page. Default: ${LETTERS_PAGE_DEFAULT}`,
      }),
    ),
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'nextCursor of the previous page' })),
  },
  { additionalProperties: false },
)

export const DeadLetterPage = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Offset in the topic dead-letters' }),
      stream: Type.String({ description: 'Stream that could not process the record' }),
      topic: Type.String({ description: 'Topic of the record' }),
      partition: Type.Integer(),
      offset: Type.Integer(),
      key: Nullable(Type.String({ description: 'Key of the record' })),
      code: Type.String({ description: 'Why it could not be processed, as a code' }),
      message: Type.String({ description: 'Why it could not be processed, in words' }),
      failedAt: Time('When it failed'),
      replayed: Type.Boolean({ description: 'Whether it was appended to its topic again since' }),
      bytes: Nullable(
        Type.Integer({
          description: 'Size of the record in bytes; null if it was too large to be kept here, or has no value',
        }),
      ),
      record: Type.Unknown({ description: 'The record; null if it cannot be decoded' }),
    }),
  ),
  nextCursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page' })),
})

export const ReplayBody = Body({
  stream: Type.Optional(Stream),
  topic: Type.Optional(Topic),
  fromId: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Id of the first record to replay. Default: the oldest' }),
  ),
  toId: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Id of the first record that is no longer replayed. Default: replay all' }),
  ),
  again: Type.Optional(Type.Boolean({ description: 'If true, also replay records that were replayed before' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: REPLAY_MAX,
      description: `Maximum number of records to replay. Default: ${REPLAY_DEFAULT}`,
    }),
  ),
})

export const ReplayAnswer = Type.Object({
  replayed: Type.Integer({ description: 'Records that were appended to their topics again' }),
  skipped: Type.Integer({ description: 'Records that were left out because they had been replayed before' }),
  gone: Type.Integer({ description: 'Records that were too large to be kept here, and are no longer in their topic' }),
})
