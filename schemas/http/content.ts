import { Type } from 'typebox'

/** An answer, or the body of a request, that is no JSON: for the documentation. */
export const Content = (description: string, ...mediaTypes: readonly string[]) => ({
  description,
  content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: Type.String() }])),
})
