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
  logged: Type.Integer({ description: 'Records of the log, counted as the streams read them, and those that wait' }),
  stored: Type.Integer({
    description: 'Those of them that have a row in the analytics store; of ad-events, a judgement in the log',
  }),
  duplicates: Type.Integer({ description: 'Rows beyond one for each record; never more than 0' }),
  deadLetters: Type.Integer({ description: 'Records that could not be processed' }),
  uncounted: Type.Integer({
    description: 'Offsets stored before the program counted, whose count is still under way; else 0',
  }),
  lagMs: Type.Integer({ description: 'Age of the oldest record that is neither stored nor a dead letter' }),
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
      Type.Integer({ minimum: 0, maximum: PARTITION_MAX, description: 'One of its partitions; all without it' }),
    ),
    fromOffset: Type.Optional(Offset('The first offset, of one partition; the first of the log without it')),
    toOffset: Type.Optional(
      Offset('The first offset after the range, of one partition; all that is stored without it'),
    ),
    from: Type.Optional(Time('Only what the log took since then')),
    to: Type.Optional(Time('Only what the log took before then')),
  },
  { additionalProperties: false },
)

const checkFigures = {
  logged: Type.Integer({ description: 'Records that the log holds' }),
  stored: Type.Integer({ description: 'Those of them that have a row' }),
  duplicates: Type.Integer({ description: 'Rows beyond one for each record' }),
  deadLetters: Type.Integer({ description: 'Records without a row that could not be processed' }),
  expired: Type.Integer({ description: 'Records without a row that are older than the table keeps rows' }),
  missing: Type.Integer({ description: 'Records that have no row for no reason known' }),
}
const position = Type.Object({ partition: Type.Integer(), offset: Type.Integer() })

/** Answer of GET /v1/panel/audit/check: logged = stored + deadLetters + expired + missing. */
export const AuditCheckAnswer = Type.Object({
  ...checkFigures,
  partitions: Type.Array(
    Type.Object({
      partition: Type.Integer(),
      from: Type.Integer({ description: 'The first offset that was checked' }),
      to: Type.Integer({ description: 'The first offset after those' }),
      next: Nullable(
        Type.Integer({ description: 'fromOffset of the check that goes on from here; null: all is checked' }),
      ),
      ...checkFigures,
    }),
  ),
  missingAt: Type.Array(position, { description: 'Where the first of the missing records lie' }),
  repeatedAt: Type.Array(position, { description: 'Where the first of the records with several rows lie' }),
})

const Topic = Type.Enum([...topicNames], { description: 'Only records of this topic' })
const Stream = Type.String({
  minLength: 1,
  maxLength: STREAM_CHARS_MAX,
  description: 'Only what this stream gave up on',
})

export const DeadLetterQuery = Type.Object(
  {
    stream: Type.Optional(Stream),
    topic: Type.Optional(Topic),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LETTERS_PAGE_MAX,
        description: `Of a page, ${LETTERS_PAGE_DEFAULT} without it`,
      }),
    ),
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'nextCursor of the page before' })),
  },
  { additionalProperties: false },
)

export const DeadLetterPage = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Its offset in the topic dead-letters' }),
      stream: Type.String({ description: 'The stream that gave up' }),
      topic: Type.String({ description: 'Where the record lies' }),
      partition: Type.Integer(),
      offset: Type.Integer(),
      key: Nullable(Type.String({ description: 'Key of the record' })),
      code: Type.String({ description: 'Why, as a code' }),
      message: Type.String({ description: 'Why, in words' }),
      failedAt: Time('When'),
      replayed: Type.Boolean({ description: 'It was appended again since' }),
      bytes: Nullable(Type.Integer({ description: 'Size of the record; null: too large for the letter, or no value' })),
      record: Type.Unknown({ description: 'The record, where it can be decoded; else null' }),
    }),
  ),
  nextCursor: Nullable(Type.String({ description: 'Null on the last page' })),
})

export const ReplayBody = Body({
  stream: Type.Optional(Stream),
  topic: Type.Optional(Topic),
  fromId: Type.Optional(Type.Integer({ minimum: 0, description: 'The first letter; the oldest without it' })),
  toId: Type.Optional(Type.Integer({ minimum: 0, description: 'The first letter after those; all without it' })),
  again: Type.Optional(Type.Boolean({ description: 'Also those that were replayed before' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: REPLAY_MAX, description: `At most so many, ${REPLAY_DEFAULT} without it` }),
  ),
})

export const ReplayAnswer = Type.Object({
  replayed: Type.Integer({ description: 'Appended to their topics again' }),
  skipped: Type.Integer({ description: 'Had been replayed before' }),
  gone: Type.Integer({ description: 'Too large to have been kept, and not in their topic any more' }),
})
