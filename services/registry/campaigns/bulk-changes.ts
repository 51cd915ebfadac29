import type { Static } from 'typebox'
import { CampaignChanges, CampaignChangesAnswer } from '../../../schemas/http/panel/campaigns/campaigns.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import type { ResourceDeps } from '../resources/resource.ts'
import { isSameValue } from '../resources/same-value.ts'
import { changed } from '../resources/store.ts'
import { type Principal, principalOf } from '../rights/auth.ts'
import type { CampaignResource } from './campaigns.ts'

export interface BulkChangeDeps extends ResourceDeps {
  campaigns: Pick<CampaignResource, 'factsOf' | 'change'>
}

type Change = Static<typeof CampaignChanges>['change']
type Result = Static<typeof CampaignChangesAnswer>['results'][number]

/** POST /v1/panel/campaign-changes: one change of many campaigns, each checked as by PATCH. */
export function bulkChangeRoutes(server: HttpServer, deps: BulkChangeDeps): void {
  server.post(
    '/v1/panel/campaign-changes',
    {
      onRequest: deps.authorize('panel'),
      schema: {
        operationId: 'changeCampaigns',
        summary: 'Change many campaigns',
        description:
          'Makes the same change in each of these campaigns, as PATCH does. A campaign whose change is refused is left as it is; ' +
          'the others are changed nevertheless. All accepted changes are stored together; if that fails, the answer is an error ' +
          'and nothing is changed. Repeating the call has no further effect.',
        body: CampaignChanges,
        response: { 200: CampaignChangesAnswer },
      },
    },
    async (request) => ({ results: await changeAll(deps, principalOf(request), request.body) }),
  )
}

async function changeAll(
  { registry, access, campaigns }: BulkChangeDeps,
  principal: Principal,
  { ids, change }: { ids: readonly string[]; change: Change },
): Promise<Result[]> {
  let results: Result[] = []
  const spent = await campaigns.factsOf(ids)
  await registry.write(
    () => {
      const found = ids.map((id) => attempt(() => access.needToChange(principal, 'Campaign', id)))
      const seen = found.filter((each): each is Entity<'Campaign'> => !(each instanceof Problem))
      const allowed = [...new Set(seen)]
      const bodyOf = new Map(
        allowed.map((campaign) => [campaign.id, attempt(() => campaigns.change(campaign, change, principal, spent))]),
      )
      const changes = allowed.flatMap((campaign) => {
        const body = bodyOf.get(campaign.id)!
        return body instanceof Problem || isSameValue(body, campaign.body) ? [] : [changed(campaign, body)]
      })
      const versions = new Map(changes.map(({ id, version }) => [id, version]))
      results = found.map((campaign, i) => {
        if (campaign instanceof Problem) return refused(ids[i]!, campaign)
        const body = bodyOf.get(campaign.id)!
        if (body instanceof Problem) return refused(campaign.id, body)
        const version = versions.get(campaign.id)
        const outcome = version === undefined ? 'UNCHANGED' : 'CHANGED'
        return { id: campaign.id, outcome, version: version ?? campaign.version, problem: null }
      })
      return changes
    },
    { by: principal.actorId },
  )
  return results
}

const refused = (id: string, { code, message, errors }: Problem): Result => ({
  id,
  outcome: 'REFUSED',
  version: null,
  problem: { code, detail: message, errors },
})

function attempt<T>(find: () => T): T | Problem {
  try {
    return find()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
