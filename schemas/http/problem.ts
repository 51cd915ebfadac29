import { Type } from 'typebox'

/** RFC 9457 problem+json: the body of every answer with a status over 399. */
export const ProblemBody = Type.Object(
  {
    type: Type.String({ description: 'URN of the error code' }),
    title: Type.String({ description: 'What the code means' }),
    status: Type.Integer({ description: 'The HTTP status' }),
    code: Type.String({ description: 'One of the codes in docs/errors.md' }),
    detail: Type.String({ description: 'What is wrong with this request' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'JSON pointer into the body, or header, query or path parameter' }),
          message: Type.String(),
        }),
        { description: 'Every field that is wrong' },
      ),
    ),
  },
  { $id: 'Problem', description: 'What went wrong' },
)
