/**
 * Which pairs of a line and a touch of its person are joined: those that may match, and beside them no others, all of first lines, or all
 * of touches with `isStrongest`.
 */
export type Pairs = 'MATCHING' | 'MATCHING_AND_FIRST' | 'MATCHING_AND_STRONGEST'

/**
 * Lines and touches are joined by keys: the product, its item groups, and the campaigns that list it at the time of the line. A line and
 * a touch that match have one in common. One more key joins all lines with some touches, or some lines with all touches.
 */
const keyOf = (what: string, value: string) => `cityHash64('${what}', ${value})`
const MORE = `[${keyOf('more', "''")}]`

/** The key of the campaigns that list a product: what is joined by it is on the campaign's list. */
export const campaignKeySql = (campaignId: string): string => keyOf('campaign', campaignId)

/**
 * SQL for the keys of a line, an array. A line has columns shopProductId, itemGroups and, for MATCHING_AND_FIRST, `line`.
 * @param listedBy SQL for the campaigns that list its product at its time; null when no campaign has an attribution list.
 */
export function lineKeysSql(pairs: Pairs, listedBy: string | null): string {
  const beside = {
    MATCHING: [],
    MATCHING_AND_FIRST: [`if(line = 0, ${MORE}, [])`],
    MATCHING_AND_STRONGEST: [MORE],
  }[pairs]
  const keys = [
    `[${keyOf('product', 'shopProductId')}]`,
    `arrayMap(each -> ${keyOf('group', 'each')}, itemGroups)`,
    ...beside,
    ...(listedBy === null ? [] : [`arrayMap(each -> ${campaignKeySql('each')}, ${listedBy})`]),
  ]
  return `arrayConcat(${keys.join(', ')})`
}

/** SQL for the keys of a touch, an array. A touch has the columns of `storedTouchesSql`. */
export function touchKeysSql(pairs: Pairs, hasLists: boolean): string {
  const beside = {
    MATCHING: [],
    MATCHING_AND_FIRST: [MORE],
    MATCHING_AND_STRONGEST: [`if(isStrongest, ${MORE}, [])`],
  }[pairs]
  const keys = [
    ...beside,
    `if(adKind = 'SPONSORED', [${keyOf('product', 'adId')}], [])`,
    `if(itemGroupId = '', [], [${keyOf('group', 'itemGroupId')}])`,
    ...(hasLists ? [`[${campaignKeySql('campaignId')}]`] : []),
  ]
  return `arrayConcat(${keys.join(', ')})`
}

/** The campaigns that list the product of a line at its time, and the join that they come from. */
export function listedPart(campaign_versions: string | null, of: { shopId: string; productId: string }) {
  if (campaign_versions === null) return { by: null, join: '' }
  return {
    by: `arrayFilter((campaign, fromAt, toAt) -> fromAt <= occurredAt AND occurredAt < toAt, c.campaigns, c.fromAts, c.toAts)`,
    join: `LEFT JOIN (${listingsSql(campaign_versions)}
    ) AS c ON c.listShopId = ${of.shopId} AND c.listProductId = ${of.productId}`,
  }
}

/**
 * Products on the attribution lists of campaigns, with the times [fromAt, toAt) at which they were listed. The version in force
 * is the last one made by then; before the first version, the first. The log keeps every version of a campaign. Those that change
 * something else go on with the list of the version before.
 */
const listingsSql = (campaign_versions: string): string => `
    SELECT shopId AS listShopId, productId AS listProductId, groupArray(campaignId) AS campaigns, groupArray(startAt) AS fromAts,
      groupArray(endAt) AS toAts
    FROM (
      SELECT shopId, campaignId, list, startAt, leadInFrame(startAt, 1, toInt64(${Number.MAX_SAFE_INTEGER})) OVER (
        PARTITION BY campaignId ORDER BY version ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS endAt
      FROM (
        SELECT shopId, campaignId, version, attributionProductIds AS list,
          row_number() OVER history = 1 AS isFirst, lagInFrame(list) OVER history AS before,
          if(isFirst, 0, min(updatedAt) OVER (
            PARTITION BY campaignId ORDER BY version ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)) AS startAt
        FROM campaign_versions FINAL
        WHERE ${campaign_versions}
        WINDOW history AS (PARTITION BY campaignId ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
      )
      WHERE isFirst OR list != before
    )
    ARRAY JOIN list AS productId
    WHERE startAt < endAt
    GROUP BY shopId, productId`
