import { type Static, Type } from 'typebox'
import {
  AcceptBody,
  ModerationParams,
  ModerationState,
  RejectBody,
} from '../../../schemas/http/panel/campaigns/banners.ts'
import { CampaignView } from '../../../schemas/http/panel/campaigns/campaigns.ts'
import { Id, ListQuery, PAGE_LIMIT_DEFAULT, Page } from '../../../schemas/http/panel/common.ts'
import type { Moderation, ModerationDecision } from '../../../schemas/records/entities.ts'
import { afterDecision } from '../../domain/campaign/moderation.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { pageOf } from '../resources/paging.ts'
import type { ReadableResource, ResourceDeps } from '../resources/resource.ts'
import { changed } from '../resources/store.ts'
import { type Principal, principalOf } from '../rights/auth.ts'
import { onlyRoles } from '../rights/roles.ts'

export interface ModerationDeps extends ResourceDeps {
  views: ReadableResource<'Campaign'>['views']
  now: () => number
}

const PATH = '/v1/panel/moderation'
const ModerationQuery = ListQuery({
  state: Type.Optional(ModerationState),
  shopId: Type.Optional(Id('Only campaigns in this shop')),
})

/** How long a decision can be undone: the panel offers it for ten seconds, and the request has to arrive. */
const UNDO_MS = 30_000

/** What a decision of the last seconds replaced, so that it can be undone. */
interface Undoable {
  before: Moderation
  /** The campaign's version after the decision. */
  version: number
  decidedAt: number
  decidedBy: string
}

/**
 * GET the display campaigns by decision, POST accept, reject and undo: for the publisher of the shop and the operator. What
 * can be undone is kept in memory, because the registry has one process. A restart makes decisions final.
 */
export function moderationRoutes(server: HttpServer, deps: ModerationDeps): void {
  const undoable = new Map<string, Undoable>()
  listRoute(server, deps)
  decisionRoutes(server, { ...deps, undoable })
  undoRoute(server, { ...deps, undoable })
}

const moderatorsOnly = onlyRoles(['OPERATOR', 'PUBLISHER'], 'Only the publisher of a shop can moderate its banners')

function listRoute(server: HttpServer, { access, authorize, views }: ModerationDeps): void {
  server.get(
    PATH,
    {
      onRequest: [authorize('panel'), moderatorsOnly],
      schema: {
        operationId: 'listModeration',
        summary: 'List display campaigns by the state of their moderation',
        querystring: ModerationQuery,
        response: { 200: Page(CampaignView) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { limit = PAGE_LIMIT_DEFAULT, cursor, state, shopId } = request.query
      const rowsAfter = (after: string) =>
        access.list(principal, 'Campaign', { shopId, after }).filter(({ body: { moderation, archivedAt } }) => {
          if (moderation === null || archivedAt !== null) return false
          return state === undefined || moderation.state === state
        })
      const { items, nextCursor } = pageOf(rowsAfter, { limit, cursor })
      return { items: (await views(items, principal)) as Static<typeof CampaignView>[], nextCursor }
    },
  )
}

function decisionRoutes(server: HttpServer, deps: ModerationDeps & { undoable: Map<string, Undoable> }): void {
  const onRequest = [deps.authorize('panel'), moderatorsOnly]
  const response = { 200: CampaignView }
  server.post(
    `${PATH}/:campaignId/accept`,
    {
      onRequest,
      schema: {
        operationId: 'acceptCampaign',
        summary: 'Accept a display campaign',
        params: ModerationParams,
        body: AcceptBody,
        response,
      },
    },
    async (request) => {
      const { campaignId } = request.params
      const decision = { state: 'ACCEPTED', reason: null, version: request.body?.version } as const
      return decide(deps, { principal: principalOf(request), campaignId, ...decision })
    },
  )
  server.post(
    `${PATH}/:campaignId/reject`,
    {
      onRequest,
      schema: {
        operationId: 'rejectCampaign',
        summary: 'Reject a display campaign',
        params: ModerationParams,
        body: RejectBody,
        response,
      },
    },
    async (request) => {
      const { campaignId } = request.params
      return decide(deps, { principal: principalOf(request), campaignId, state: 'REJECTED', ...request.body })
    },
  )
}

interface Decision extends Pick<ModerationDecision, 'state' | 'reason'> {
  principal: Principal
  campaignId: string
  /** The campaign's version that was reviewed. */
  version?: number | undefined
}

/** @throws Problem NOT_FOUND, CONFLICT */
async function decide(
  deps: ModerationDeps & { undoable: Map<string, Undoable> },
  decision: Decision,
): Promise<Static<typeof CampaignView>> {
  const { registry, access, views, now, undoable } = deps
  const { principal, campaignId, state, reason } = decision
  let replaced: Undoable | null = null
  const [entry] = await registry.write(
    () => {
      const campaign = access.need(principal, 'Campaign', campaignId)
      const moderation = checkOpen(campaign, decision)
      const { version } = campaign
      const made = { state, reason, decidedAt: now(), decidedBy: principal.actorId, version }
      replaced = { before: moderation, ...made, version: version + 1 }
      return [changed(campaign, { ...campaign.body, moderation: afterDecision(moderation, made) })]
    },
    { by: principal.actorId },
  )
  forgetOld(undoable, now())
  if (replaced) undoable.set(entry!.id, replaced)
  const [view] = await views([entry as Entity<'Campaign'>], principal)
  return view as Static<typeof CampaignView>
}

function undoRoute(
  server: HttpServer,
  { registry, access, authorize, views, now, undoable }: ModerationDeps & { undoable: Map<string, Undoable> },
): void {
  server.post(
    `${PATH}/:campaignId/undo`,
    {
      onRequest: [authorize('panel'), moderatorsOnly],
      schema: {
        operationId: 'undoModeration',
        summary: 'Undo a decision that was just made',
        description:
          `Allowed for ${UNDO_MS / 1_000} s, only for the user or account that decided, and only if the campaign has not changed ` +
          'since; otherwise the answer is 409. The campaign has its previous moderation again, and its history does not show the ' +
          'decision.',
        params: ModerationParams,
        response: { 200: CampaignView },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const [entry] = await registry.write(
        () => {
          const campaign = access.need(principal, 'Campaign', request.params.campaignId)
          forgetOld(undoable, now())
          const made = undoable.get(campaign.id)
          if (made?.decidedBy !== principal.actorId || made.version !== campaign.version) {
            throw new Problem('CONFLICT', 'There is no decision of yours that can still be undone')
          }
          // The entry is kept in case the write fails. Once it is stored, the entry's version no longer matches the campaign.
          return [changed(campaign, { ...campaign.body, moderation: made.before })]
        },
        { by: principal.actorId },
      )
      const [view] = await views([entry as Entity<'Campaign'>], principal)
      return view as Static<typeof CampaignView>
    },
  )
}

function forgetOld(undoable: Map<string, Undoable>, now: number): void {
  for (const [campaignId, { decidedAt }] of undoable) if (now - decidedAt > UNDO_MS) undoable.delete(campaignId)
}

/** The moderation that a decision will change. @throws Problem CONFLICT when the decision cannot be made. */
function checkOpen({ version, body }: Entity<'Campaign'>, decision: Decision): Moderation {
  if (body.moderation === null) throw new Problem('CONFLICT', 'Only display campaigns are moderated')
  if (body.archivedAt !== null) throw new Problem('CONFLICT', 'The campaign is archived')
  if (decision.version !== undefined && decision.version !== version) {
    throw new Problem('CONFLICT', `The campaign has changed to version ${version}: review it again`)
  }
  if (body.moderation.state === decision.state)
    throw new Problem('CONFLICT', `The campaign is already ${decision.state}`)
  return body.moderation
}
