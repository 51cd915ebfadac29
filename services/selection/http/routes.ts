import type { FastifyReply } from 'fastify'
import {
  DISPLAY_CUTS,
  DisplayAnswer,
  DisplayBody,
  DisplayHeaders,
  DisplayTargeting,
} from '../../../schemas/http/display.ts'
import {
  adsAnswer,
  LIMITS_HEADER,
  PersonHeaders,
  SelectionAnswer,
  SelectionQuery,
} from '../../../schemas/http/selection.ts'
import { SelectionBody, TARGETING_CUTS, Targeting } from '../../../schemas/http/targeting.ts'
import type { AdLoad, RequestLimits } from '../../callers/request-limits.ts'
import type { HttpServer } from '../../http/server.ts'
import type { AdBid, AdSteps, CandidateBatch } from '../ad-steps.ts'
import type { DisplaySlot } from '../display/banners.ts'
import { readParameters } from '../request/parameters.ts'
import { createTargetingReader } from '../request/targeting-reader.ts'
import { type SelectDeps, select } from '../select.ts'
import type { Slot } from '../slots.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** The schemas only document: `readParameters` reads headers and query, and the readers below read slots one by one. */
const validatorCompiler = () => () => true
const readSponsored = createTargetingReader<Targeting>(Targeting, TARGETING_CUTS)
const readDisplay = createTargetingReader<DisplayTargeting>(DisplayTargeting, DISPLAY_CUTS)

export function sponsoredRoute<C extends CandidateBatch, B extends AdBid>(
  server: HttpServer,
  steps: AdSteps<Slot, C, B>,
  limits: RequestLimits,
  deps: SelectDeps,
): void {
  server.post(
    '/v1/dsa/raw/batch',
    {
      validatorCompiler,
      schema: {
        operationId: 'selectSponsoredAds',
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
      const admit = (loads: readonly AdLoad[]) => limits.admitAds(request, loads)
      return answer(reply, cuts, await select({ targeting: slots, admit, ...parameters }, steps, deps))
    },
  )
}

export function displayRoute<C extends CandidateBatch, B extends AdBid>(
  server: HttpServer,
  steps: AdSteps<DisplaySlot, C, B>,
  limits: RequestLimits,
  deps: SelectDeps,
): void {
  server.post(
    '/v1/banner/dsa/raw/batch',
    {
      validatorCompiler,
      schema: {
        operationId: 'selectDisplayAds',
        summary: 'Select display ads',
        headers: DisplayHeaders,
        body: DisplayBody,
        response: { 200: adsAnswer(DisplayAnswer) },
      },
    },
    async (request, reply) => {
      const { id, headers, body } = request
      const { slots, cuts } = readDisplay(body)
      const admit = (loads: readonly AdLoad[]) => limits.admitAds(request, loads)
      const parameters = readParameters({ id, headers, query: {} }, deps.uuid)
      return answer(reply, cuts, await select({ targeting: slots, admit, ...parameters }, steps, deps))
    },
  )
}

/** Sends the JSON as it is; the type is that of the object that it represents. */
function answer(reply: FastifyReply, cuts: readonly string[], json: string) {
  if (cuts.length > 0) reply.header(LIMITS_HEADER, cuts.join(', '))
  return reply.type(JSON_TYPE).send(json) as never
}
