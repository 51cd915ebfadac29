import { Type } from 'typebox'
import { answered, Body, Id } from '../common.ts'
import { PHRASE_CHARS_MAX, PHRASES_PREVIEWED_MAX, SYNONYMS_CHARS_MAX } from '../limits.ts'

/** The most products that a search of the preview reads. */
export const PRODUCTS_PREVIEWED_MAX = 50

const text = Type.String({
  maxLength: SYNONYMS_CHARS_MAX,
  description:
    'One rule per line, in the format of Solr and Elasticsearch. `sofa, couch`: a search for either word also finds the ' +
    'other. `sneaker => trainers`: a search for the left side also finds the right side. `#` starts a comment. A backslash ' +
    'takes the next character literally',
})

export const SynonymsView = Type.Object({
  ...answered,
  text,
  rules: Type.Integer({ description: 'Number of rules' }),
})

export const SynonymsBody = Body({ text })

export const SynonymsPreviewBody = Body({
  text,
  phrases: Type.Array(Type.String({ minLength: 1, maxLength: PHRASE_CHARS_MAX }), {
    maxItems: PHRASES_PREVIEWED_MAX,
    description: 'Search phrases to try',
  }),
})

const Products = Type.Object({
  found: Type.Integer({ description: `Number of products found, at most ${PRODUCTS_PREVIEWED_MAX}` }),
  more: Type.Boolean({ description: 'Whether there are more than that' }),
  products: Type.Array(
    Type.Object({
      feedId: Id('Feed of the product'),
      id: Type.String({ description: 'Id of the product in the feed' }),
      title: Type.String({ description: 'Title of the product' }),
      isNew: Type.Boolean({ description: 'Whether only this one of the two searches found the product' }),
    }),
    {
      description:
        'Some of the products found, best first. Products that only this one of the searches found are chosen before others',
    },
  ),
})

export const SynonymsPreview = Type.Object({
  phrases: Type.Array(
    Type.Object({
      phrase: Type.String({ description: 'The phrase of the request' }),
      before: Products,
      after: Products,
    }),
    { description: 'One entry for each phrase, in the order of the request' },
  ),
})
