import type { FastifyReply } from 'fastify'
import type { ProductIndex } from '../../../infra/product-index/port.ts'
import {
  DISPLAY_CUTS,
  DisplayAnswer,
  DisplayBody,
  DisplayHeaders,
  DisplayTargeting,
} from '../../../schemas/http/display.ts'
import {
  adsAnswer,
  EmissionInfoAnswer,
  EmissionInfoBody,
  LIMITS_HEADER,
  PersonHeaders,
  SelectionAnswer,
  SelectionBody,
  SelectionQuery,
  TARGETING_CUTS,
  Targeting,
} from '../../../schemas/http/selection.ts'
import type { AdKind } from '../../../schemas/records/events.ts'
import type { RequestLimits } from '../../callers/request-limits.ts'
import type { HttpServer } from '../../http/server.ts'
import type { AdChooser } from '../ad-chooser.ts'
import type { BannerEntry } from '../display/display-ads.ts'
import type { DisplaySlot } from '../display/page.ts'
import { emissionInfo } from '../emission/emission-info.ts'
import { type SelectDeps, select } from '../select.ts'
import type { Slot } from '../slots.ts'
import type { ProductEntry } from '../sponsored/fill-places.ts'
import { readParameters } from './parameters.ts'
import { createTargetingReader } from './targeting-reader.ts'

export interface RouteDeps extends SelectDeps {
  index: ProductIndex
  limits: RequestLimits
}

const JSON_TYPE = 'application/json; charset=utf-8'
const tags = ['Ads']

/** The schemas are for the documentation: headers and query are read by `readParameters`, and slots one by one. */
const validatorCompiler = () => () => true
const readSponsored = createTargetingReader<Targeting>(Targeting, TARGETING_CUTS)
const readDisplay = createTargetingReader<DisplayTargeting>(DisplayTargeting, DISPLAY_CUTS)

export function sponsoredRoutes(server: HttpServer, ads: AdChooser<Slot, ProductEntry>, deps: RouteDeps): void {
  server.post(
    '/v1/dsa/raw/batch',
    {
      validatorCompiler,
      schema: {
        tags,
        summary: 'Select sponsored product ads',
        headers: PersonHeaders,
        querystring: SelectionQuery,
        body: SelectionBody,
        response: { 200: adsAnswer(SelectionAnswer) },
      },
    },
    async (request, reply) => {
      const { slots, cuts } = readSponsored(request.body)
      const parameters = readParameters(request, deps.uuid)
      const admit = (shopIds: readonly string[]) => deps.limits.admitAds(request, shopIds)
      return answer(reply, cuts, await select({ targeting: slots, admit, ...parameters }, ads, deps))
    },
  )
  infoRoute(server, '/v1/dsa/emissionInfo', 'SPONSORED', deps)
}

export function displayRoutes(server: HttpServer, ads: AdChooser<DisplaySlot, BannerEntry>, deps: RouteDeps): void {
  server.post(
    '/v1/banner/dsa/raw/batch',
    {
      validatorCompiler,
      schema: {
        tags,
        summary: 'Select display ads',
        headers: DisplayHeaders,
        body: DisplayBody,
        response: { 200: adsAnswer(DisplayAnswer) },
      },
    },
    async (request, reply) => {
      const { id, headers, body } = request
      const { slots, cuts } = readDisplay(body)
      const admit = (shopIds: readonly string[]) => deps.limits.admitAds(request, shopIds)
      const parameters = readParameters({ id, headers, query: {} }, deps.uuid)
      return answer(reply, cuts, await select({ targeting: slots, admit, ...parameters }, ads, deps))
    },
  )
  infoRoute(server, '/v1/banner/dsa/emissionInfo', 'DISPLAY', deps)
}

/** The JSON is written already; the type is that of the object it stands for. */
function answer(reply: FastifyReply, cuts: readonly string[], json: string) {
  if (cuts.length > 0) reply.header(LIMITS_HEADER, cuts.join(', '))
  return reply.type(JSON_TYPE).send(json) as never
}

function infoRoute(server: HttpServer, path: string, kind: AdKind, deps: RouteDeps): void {
  const response = { 200: EmissionInfoAnswer }
  const summary = `Who sells and who pays for a ${kind.toLowerCase()} ad`
  server.post(path, { schema: { tags, summary, body: EmissionInfoBody, response } }, async (request) => {
    const admit = (shopId: string) => deps.limits.admitAds(request, [shopId])
    return emissionInfo({ showId: request.body.showId, kind, admit }, deps)
  })
}
