import type { Static } from 'typebox'
import type { FindVersions } from '../../../infra/analytics/queries/campaign-versions.ts'
import type { EventLog, PartitionOffset } from '../../../infra/event-log/port.ts'
import { createSlices } from '../../../infra/threads/slices.ts'
import {
  CampaignChange,
  type FieldChange,
  HISTORY_LIMIT_DEFAULT,
  HistoryQuery,
  VALUE_CHARS_MAX,
} from '../../../schemas/http/panel/campaigns/history.ts'
import { IdParams, Page } from '../../../schemas/http/panel/common.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { toIso } from '../resources/conversions.ts'
import { noCursor } from '../resources/paging.ts'
import type { ResourceDeps } from '../resources/resource.ts'
import { isSameValue } from '../resources/same-value.ts'
import type { Registry } from '../resources/store.ts'
import { principalOf } from '../rights/auth.ts'
import { campaignView, namesIn } from './view.ts'

export interface HistoryDeps extends ResourceDeps {
  log: Pick<EventLog, 'read'>
  findVersions: FindVersions
}

/** GET /v1/panel/campaigns/{id}/history: who changed what, the latest first. The log keeps every version of a campaign. */
export function campaignHistoryRoutes(server: HttpServer, deps: HistoryDeps): void {
  const { registry, access, authorize } = deps

  server.get(
    '/v1/panel/campaigns/:id/history',
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'listCampaignHistory',
        summary: 'List the changes of a campaign',
        description: 'Latest first: who changed which properties, with the values before and after.',
        params: IdParams,
        querystring: HistoryQuery,
        response: { 200: Page(CampaignChange) },
      },
    },
    async (request) => {
      const { limit = HISTORY_LIMIT_DEFAULT, cursor } = request.query
      const { id, version: latest } = access.need(principalOf(request), 'Campaign', request.params.id)
      const last = cursor === undefined ? latest : versionIn(cursor, latest)
      const first = Math.max(last - limit + 1, 1)
      // Reads one version more, because the changes of the oldest on the page are found by comparing it with the one before.
      const numbers = Array.from({ length: last - first + 2 }, (_, i) => last - i)
      const places = await placesOf(deps, id, numbers)
      const records = await Promise.all(numbers.map((version) => readVersion(deps, places.get(version))))
      const items: Static<typeof CampaignChange>[] = []
      const slices = createSlices()
      let campaign = campaignIn(records[0])
      for (const record of records.slice(1)) {
        // Two versions that list ten thousand products each take some milliseconds to decode and to compare.
        if (slices.isOver()) await slices.next()
        const before = campaignIn(record)
        if (campaign) items.push(changeOf(campaign, before, registry))
        campaign = before
      }
      return { items, nextCursor: first > 1 ? String(first - 1) : null }
    },
  )
}

/** @throws Problem INVALID */
function versionIn(cursor: string, latest: number): number {
  const version = Number(cursor)
  if (Number.isInteger(version) && version >= 1 && version <= latest) return version
  throw noCursor()
}

/** The positions of these versions in the log, by version. */
async function placesOf(
  { registry, findVersions }: HistoryDeps,
  campaignId: string,
  versions: readonly number[],
): Promise<ReadonlyMap<number, PartitionOffset>> {
  const places = new Map<number, PartitionOffset>()
  for (const version of versions) {
    const place = registry.recentVersion(campaignId, version)
    if (place) places.set(version, place)
  }
  const older = versions.filter((version) => version > 0 && !places.has(version))
  if (older.length === 0) return places
  const range = { campaignId, first: Math.min(...older), last: Math.max(...older) }
  for (const { version, ...place } of await findVersions(range)) places.set(version, place)
  return places
}

/** Reads a version of a campaign from the log; null when it is not there. */
async function readVersion({ log }: HistoryDeps, place: PartitionOffset | undefined): Promise<Buffer | null> {
  if (!place) return null
  const [record] = await log.read('registry', place.partition, place.offset, 1)
  return record?.offset === place.offset ? record.value : null
}

function campaignIn(record: Buffer | null | undefined): Entity<'Campaign'> | null {
  if (!record) return null
  const entry = decode('RegistryEntry', record)
  return entry.kind === 'Campaign' ? entry : null
}

/** Who made this version, and what differs from the one before. */
function changeOf(
  campaign: Entity<'Campaign'>,
  before: Entity<'Campaign'> | null,
  registry: Registry,
): Static<typeof CampaignChange> {
  const { version, updatedAt, updatedBy } = campaign
  const changes = before ? differences(shownFields(before, registry), shownFields(campaign, registry)) : []
  return { version, at: toIso(updatedAt), byName: namesIn(registry.snapshot)(updatedBy), changes }
}

/** The fields that users change, as the API shows them. */
function shownFields(campaign: Entity<'Campaign'>, { snapshot }: Registry): Record<string, unknown> {
  const shop = snapshot.getEver('Shop', campaign.body.shopId)!.body
  const view = campaignView(campaign, { shop, spentMicros: null, now: campaign.updatedAt, nameOf: () => null })
  const { id, version, updatedAt, state, spent, accountName, ...fields } = view
  const moderation = campaign.body.moderation && {
    state: campaign.body.moderation.state,
    reason: campaign.body.moderation.reason,
  }
  return { ...fields, ...(moderation ? { moderation } : {}) }
}

function differences(before: Record<string, unknown>, after: Record<string, unknown>): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((field) => {
    const [was = null, is = null] = [before[field], after[field]]
    if (isSameValue(was, is)) return []
    const omitted = [was, is].some((value) => JSON.stringify(value).length > VALUE_CHARS_MAX)
    return [{ field, before: omitted ? null : was, after: omitted ? null : is, omitted }]
  })
}
