import type { Analytics } from '../port.ts'

/** Versions of a campaign from `first` to `last`, inclusive. */
export interface VersionRange {
  campaignId: string
  first: number
  last: number
}

/** Where the log holds a version. */
export interface StoredVersion {
  version: number
  partition: number
  offset: number
}

/** Finds versions of a campaign that the sink has stored. @throws AnalyticsUnavailable */
export type FindVersions = (range: VersionRange) => Promise<StoredVersion[]>

export function findVersionsIn(analytics: Pick<Analytics, 'query'>): FindVersions {
  return ({ campaignId, first, last }) =>
    analytics.query<StoredVersion>(
      `SELECT version, _partition AS partition, _offset AS offset FROM campaign_versions FINAL
       WHERE campaignId = {campaignId:String} AND version BETWEEN {first:Int64} AND {last:Int64}`,
      { campaignId, first, last },
    )
}
