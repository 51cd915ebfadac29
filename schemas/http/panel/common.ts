import { type Static, type TSchema, Type } from 'typebox'
import { CAPITAL_CURRENCY_PATTERN, NO_CONTROL_PATTERN, TEXT_PATTERN } from '../text.ts'
import { NAME_CHARS_MAX, PAGE_LIMIT_MAX } from './limits.ts'

/** Pieces that every resource of the management API is made of. */

export const UUID_CHARS = 36
/** Far more than a date and time need. */
export const TIME_CHARS_MAX = 64
export const PAGE_LIMIT_DEFAULT = 100

/** Above any price; amounts are checked against it before they become micro-units. */
const AMOUNT_MAX = 1_000_000_000

export const Name = (description: string) =>
  Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, pattern: TEXT_PATTERN, description })

/** Text that may be empty. */
export const Note = (description: string) =>
  Type.String({ maxLength: NAME_CHARS_MAX, pattern: NO_CONTROL_PATTERN, description })

export const Id = (description: string) => Type.String({ format: 'uuid', maxLength: UUID_CHARS, description })

export const Amount = (description: string, minimum = 0) =>
  Type.Number({ minimum, maximum: AMOUNT_MAX, description: `${description}. In the shop's currency` })

export const Time = (description: string) =>
  Type.String({ format: 'date-time', maxLength: TIME_CHARS_MAX, description: `${description}. ISO 8601` })

export const Currency = (description: string) =>
  Type.String({ pattern: CAPITAL_CURRENCY_PATTERN, description: `${description}. ISO 4217` })

export const Lang = (description: string) =>
  Type.String({ pattern: '^[a-z]{2,3}$', description: `${description}. ISO 639, such as pl` })

/** The same schema, or null. */
export const Nullable = <T extends TSchema>(schema: T) => {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    ...(values ? { enum: [...values, null] } : { type: [type, 'null'] }),
  })
}

/** A body with these properties and no others. */
export const Body = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** A body with any of these properties and no others. */
export const PatchBody = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Partial(Type.Object(properties), { additionalProperties: false })

/** The fields of every answer, besides those of its kind. */
export const answered = {
  id: Id('Id given by the service'),
  version: Type.Integer({ description: '1 when it is created, and 1 more after each change' }),
  updatedAt: Time('Time of the last change'),
}

/** An id of ours in a path or a filter. Text that is not a UUID is an unknown id, not a malformed one. */
export const IdText = (description: string) => Type.String({ maxLength: 100, 'x-uuid': true, description })

export const IdParams = Type.Object({ id: IdText('Id of the resource') })

/** `*`, or entity tags (RFC 9110, section 8.8.3). */
const IF_MATCH_PATTERN = '^(\\*|(W/)?"[^"]*"([ ,]+(W/)?"[^"]*")*)$'
const IF_MATCH_CHARS_MAX = 1_000

/** The headers of a change that is made only to the version that was read. */
export const ChangeHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      maxLength: IF_MATCH_CHARS_MAX,
      pattern: IF_MATCH_PATTERN,
      description:
        'The ETag with which the resource was read, or its version in quotes: `"7"`. If it has changed since, nothing is done and the ' +
        'answer is 412. Without this header, the change is made to any version',
    }),
  ),
})

/** An answer that is one entity, with its version in a header. */
export const entityAnswer = <A extends TSchema>(view: A) => ({
  description: 'The resource, as it is now',
  headers: { etag: Type.String({ description: 'The version in quotes, for If-Match: `"7"`' }) },
  content: { 'application/json': { schema: view } },
})

/** Whether an entity can be deleted, to be asked before deleting it. */
export const DeletionView = Type.Object({
  allowed: Type.Boolean({ description: 'Whether a DELETE by this caller would succeed now' }),
  blockedBy: Nullable(
    Type.String({ description: 'Why DELETE would be refused, as in its answer; null if it is allowed' }),
  ),
  blockers: Type.Array(
    Type.Object({
      kind: Type.Enum(['Shop', 'Placement', 'AdUnit', 'TechnicalSlot', 'AdFormat', 'Feed', 'Campaign']),
      count: Type.Integer({ description: 'Number of them, archived campaigns included' }),
    }),
    { description: 'What has to be deleted first' },
  ),
})

/** Query of a list. `parents` narrow it to entities that belong to one entity of another kind. */
export const ListQuery = <P extends Record<string, TSchema>>(parents: P) =>
  Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: PAGE_LIMIT_MAX,
          description: `Maximum number of items on a page. Default: ${PAGE_LIMIT_DEFAULT}`,
        }),
      ),
      cursor: Type.Optional(Type.String({ maxLength: 800, description: 'nextCursor of the previous page' })),
      ...parents,
    },
    { additionalProperties: false },
  )

export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Cursor of the next page; null on the last page',
    }),
  })
