import { Type } from 'typebox'

/** Documents an answer, or the body of a request, that is not JSON. */
export const Content = (description: string, ...mediaTypes: readonly string[]) => ({
  description,
  content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: Type.String() }])),
})
