import { Type } from 'typebox'
import { securityEventKinds } from '../../../records/security-event.ts'
import { Id, ListQuery, Time } from '../common.ts'

const Kind = Type.Enum([...securityEventKinds], { description: 'What happened' })

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const SecurityLogQuery = ListQuery({
  kind: Type.Optional(Kind),
  userId: Type.Optional(Id('What this user did, and what was done to this user')),
})

export const SecurityEventView = Type.Object({
  id: Id('One of a kind'),
  kind: Kind,
  occurredAt: Time('When it happened'),
  actor: Type.Object(
    {
      kind: Type.Enum(['USER', 'TOKEN', 'BOOTSTRAP', 'NOBODY'], {
        description: 'BOOTSTRAP: the bootstrap token. NOBODY: who is not known',
      }),
      id: nullable(Type.String(), 'Of the user or token'),
      name: nullable(Type.String(), 'Of the user or token; null: not of an account that the reader may see'),
    },
    { description: 'Who did it' },
  ),
  accountId: nullable(Type.String(), 'The account that it concerns; null: none'),
  subject: nullable(
    Type.Object({
      kind: Type.String({ description: 'As the registry calls it: User, Token, Shop' }),
      id: Type.String(),
      name: nullable(Type.String(), 'Null: it has none, or is not of an account that the reader may see'),
    }),
    'What it was done to; null: nothing that is known',
  ),
  detail: Type.String({ description: 'More about it, for people; may be empty' }),
  source: nullable(Type.String(), 'Hash of the address that it came from: equal for equal addresses'),
})
