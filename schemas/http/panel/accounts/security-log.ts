import { Type } from 'typebox'
import { securityEventKinds } from '../../../records/security-event.ts'
import { Id, ListQuery, Time } from '../common.ts'

const Kind = Type.Enum([...securityEventKinds], { description: 'What happened' })

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const SecurityLogQuery = ListQuery({
  kind: Type.Optional(Kind),
  userId: Type.Optional(Id('Only what this user did, and what was done to this user')),
})

export const SecurityEventView = Type.Object({
  id: Id('Id of the entry'),
  kind: Kind,
  occurredAt: Time('When it happened'),
  actor: Type.Object(
    {
      kind: Type.Enum(['USER', 'TOKEN', 'BOOTSTRAP', 'NOBODY'], {
        description: 'BOOTSTRAP: the bootstrap token. NOBODY: an unknown caller',
      }),
      id: nullable(Type.String(), 'Id of the user or token'),
      name: nullable(Type.String(), 'Name of the user or token; null if the reader may not see its account'),
    },
    { description: 'Who did it' },
  ),
  accountId: nullable(Type.String(), 'Account that is concerned; null if none is'),
  subject: nullable(
    Type.Object({
      kind: Type.String({ description: 'Kind of entity, such as User, Token or Shop' }),
      id: Type.String(),
      name: nullable(Type.String(), 'Its name; null if it has none, or if the reader may not see its account'),
    }),
    'The entity that it was done to; null if there is none',
  ),
  detail: Type.String({ description: 'Details for people to read; may be empty' }),
  source: nullable(
    Type.String(),
    'Hash of the IP address of the request. Equal addresses have equal hashes; null if unknown',
  ),
})
