import type { IndexedProduct, ProductIndex, ProductQuery, SearchResult } from '../../../infra/product-index/port.ts'
import { createSlices } from '../../../infra/threads/slices.ts'
import { ChangeHeaders, entityAnswer, IdParams } from '../../../schemas/http/panel/common.ts'
import {
  PRODUCTS_PREVIEWED_MAX,
  SynonymsBody,
  SynonymsPreview,
  SynonymsPreviewBody,
  SynonymsView,
} from '../../../schemas/http/panel/shops/synonyms.ts'
import type { Shop } from '../../../schemas/records/entities.ts'
import { checkSynonyms, type SynonymRules, synonymsOfShop } from '../../domain/catalogue/shop-synonyms.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { entityFields } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { changed, type Registry } from '../resources/store.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { checkIfMatch, tagged } from '../writes/if-match.ts'

export interface SynonymsDeps {
  registry: Registry
  access: Access
  authorize: Authorize
  index: ProductIndex
}

const PATH = '/v1/panel/shops/:id/synonyms'
/** Products of a search that the preview shows. */
const PRODUCTS_SHOWN_MAX = 10
/** Any value will do: a preview treats all products alike, whether or not anybody has seen them. */
const PRIOR_CLICK_RATE = 0.01

/** The synonyms of a shop, and a preview of what other synonyms would change. */
export function synonymsApp(server: HttpServer, { registry, access, authorize, index }: SynonymsDeps): void {
  const onRequest = authorize('panel')
  server.get(
    PATH,
    {
      onRequest,
      schema: {
        operationId: 'getSynonyms',
        summary: 'Read the synonyms of a shop',
        params: IdParams,
        response: { 200: entityAnswer(SynonymsView) },
      },
    },
    async (request, reply) => {
      const shop = ownShop(principalOf(request), request.params.id)
      tagged(reply, shop)
      return view(shop)
    },
  )
  server.put(
    PATH,
    {
      onRequest,
      schema: {
        operationId: 'replaceSynonyms',
        summary: 'Replace the synonyms of a shop',
        description: 'Ad requests use the new synonyms within seconds, in every process. Errors name the line.',
        params: IdParams,
        headers: ChangeHeaders,
        body: SynonymsBody,
        response: { 200: entityAnswer(SynonymsView) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { text } = request.body
      await checked(text, ownShop(principal, request.params.id).body)
      const [entry] = await registry.write(
        () => {
          const shop = ownShop(principal, request.params.id)
          checkIfMatch(request, shop, registry.snapshot)
          return [changed(shop, { ...shop.body, synonyms: text })]
        },
        { by: principal.actorId },
      )
      tagged(reply, entry!)
      return view(entry as Entity<'Shop'>)
    },
  )
  server.post(
    `${PATH}/preview`,
    {
      onRequest,
      schema: {
        operationId: 'previewSynonyms',
        summary: 'Preview what synonyms would change',
        description:
          'For each phrase: the available products that a search finds with the present synonyms, and with these. It does not ' +
          'matter whether a campaign advertises them. Nothing is changed.',
        params: IdParams,
        body: SynonymsPreviewBody,
        response: { 200: SynonymsPreview },
      },
    },
    async (request) => {
      const shop = ownShop(principalOf(request), request.params.id)
      const { text, phrases } = request.body
      const rules = await checked(text, shop.body)
      const inForce = synonymsOfShop(shop.body)
      const queries = phrases.flatMap((phrase) => [searchFor(phrase, shop, inForce), searchFor(phrase, shop, rules)])
      const results = await index.search(queries)
      return {
        phrases: phrases.map((phrase, at) => {
          const [before, after] = [results[at * 2]!, results[at * 2 + 1]!]
          return { phrase, before: productsOf(before, after), after: productsOf(after, before) }
        }),
      }
    },
  )

  function ownShop(principal: Principal, id: string): Entity<'Shop'> {
    return access.needToChange(principal, 'Shop', id)
  }
}

function view(shop: Entity<'Shop'>) {
  const { synonyms: text } = shop.body
  return { ...entityFields(shop), text, rules: synonymsOfShop(shop.body).length }
}

/** @throws Problem INVALID that lists the lines with faults. */
async function checked(text: string, { lang }: Shop): Promise<SynonymRules> {
  const slices = createSlices()
  const { rules, faults } = await checkSynonyms(text, lang, () => (slices.isOver() ? slices.next() : undefined))
  const fieldErrors = new FieldErrors()
  for (const { line, message } of faults) fieldErrors.add('/text', `line ${line} ${message}`)
  fieldErrors.throwIfAny()
  return rules
}

/** The query of an ad unit that matches the phrase of a listing, but over all products, advertised or not. */
export function searchFor(text: string, { id, body: { lang } }: Entity<'Shop'>, synonyms: SynonymRules): ProductQuery {
  return {
    shopId: id,
    filters: [
      { kind: 'available' },
      { kind: 'lang', lang },
      { kind: 'text', text, lang, minShare: 1, in: 'ALL_FIELDS' },
    ],
    rank: { by: 'text', text, lang },
    campaigns: null,
    synonyms,
    priorClickRate: PRIOR_CLICK_RATE,
    limit: PRODUCTS_PREVIEWED_MAX,
    tieSeed: 1,
  }
}

function productsOf({ hits, truncated }: SearchResult, other: SearchResult) {
  const known = new Set(other.hits.map(({ product }) => keyOf(product)))
  const products = hits.map(({ product }) => ({ product, isNew: !known.has(keyOf(product)) }))
  // Products that only this search finds are shown even if they rank last.
  const shown = new Set([...products.filter(({ isNew }) => isNew), ...products].slice(0, PRODUCTS_SHOWN_MAX))
  return {
    found: hits.length,
    more: truncated,
    products: products
      .filter((each) => shown.has(each))
      .map(({ product: { offer }, isNew }) => ({ feedId: offer.feedId, id: offer.id, title: offer.title, isNew })),
  }
}

const keyOf = ({ offer }: IndexedProduct) => `${offer.feedId}/${offer.id}`
