import { Type } from 'typebox'
import { answered, Body, Id } from '../common.ts'

const SYNONYMS_CHARS_MAX = 100_000
const PHRASES_PREVIEWED_MAX = 20
const PHRASE_CHARS_MAX = 200
/** The most products that a search of the preview reads. */
export const PRODUCTS_PREVIEWED_MAX = 50

const text = Type.String({
  maxLength: SYNONYMS_CHARS_MAX,
  description:
    'A rule a line, in the format of Solr and Elasticsearch. `sofa, couch`: each finds the other. `sneaker => trainers`: the left side finds the right side, too. `#` begins a comment, a backslash keeps the character after it',
})

export const SynonymsView = Type.Object({
  ...answered,
  text,
  rules: Type.Integer({ description: 'Lines that are neither empty nor a comment' }),
})

export const SynonymsBody = Body({
  text,
  version: Type.Optional(
    Type.Integer({ description: 'Of the shop, as answered before: refused with 409 when it has changed since' }),
  ),
})

export const SynonymsPreviewBody = Body({
  text,
  phrases: Type.Array(Type.String({ minLength: 1, maxLength: PHRASE_CHARS_MAX }), {
    maxItems: PHRASES_PREVIEWED_MAX,
    description: 'What shoppers search for',
  }),
})

const Products = Type.Object({
  found: Type.Integer({ description: `Products found, at most ${PRODUCTS_PREVIEWED_MAX}` }),
  more: Type.Boolean({ description: 'There are more than that' }),
  products: Type.Array(
    Type.Object({
      feedId: Id('Its feed'),
      id: Type.String({ description: 'Its id in the feed' }),
      title: Type.String({ description: 'Its title' }),
      isNew: Type.Boolean({ description: 'Only one of the two searches found it' }),
    }),
    { description: 'The first ones, best first; those that only one of the searches found are among them' },
  ),
})

export const SynonymsPreview = Type.Object({
  phrases: Type.Array(
    Type.Object({
      phrase: Type.String({ description: 'As asked' }),
      before: Products,
      after: Products,
    }),
    { description: 'In the order asked' },
  ),
})
