/** Which pairs of a line and a touch of its person are joined: all of them; those that may match; or these and all of first lines. */
export type Pairs = 'ALL' | 'MATCHING' | 'MATCHING_AND_FIRST'

interface Joined {
  /** SQL of lines and touches, in parentheses or a table. */
  lines: string
  touches: string
  /** Null when no campaign has an attribution list. */
  campaign_versions: string | null
}

/**
 * Prepares lines and touches for a join of these pairs. Unless all are joined, it makes a column `lineKey` of lines, which are once for each
 * of their keys, and a column `touchKey` of touches. Keys are the product, its item groups, and the campaigns that ever listed it. A
 * line and a touch that match have one in common; that they have one does not mean that they match. All touches have the key of first
 * lines.
 * @returns SQL of both in parentheses or a table, and `alike`, a further condition of their join as `r` and `t`, which begins with AND.
 */
export function paired(pairs: Pairs, { lines, touches, campaign_versions }: Joined) {
  if (pairs === 'ALL') return { lines, touches: `(${touches})`, alike: '' }
  const keyOf = (what: string, value: string) => `cityHash64('${what}', ${value})`
  const ofFirst = pairs === 'MATCHING_AND_FIRST' ? [keyOf('first', "''")] : []
  const lineKeys = [
    `[${keyOf('product', 'l.shopProductId')}]`,
    `arrayMap(each -> ${keyOf('group', 'each')}, l.itemGroups)`,
    ...ofFirst.map((key) => `if(l.isFirst, [${key}], [])`),
    ...(campaign_versions === null ? [] : [`arrayMap(each -> ${keyOf('campaign', 'each')}, c.campaignIds)`]),
  ]
  const touchKeys = [
    ...ofFirst.map((key) => `[${key}]`),
    `if(adKind = 'SPONSORED', [${keyOf('product', 'adId')}], [])`,
    `if(itemGroupId = '', [], [${keyOf('group', 'itemGroupId')}])`,
    ...(campaign_versions === null ? [] : [`[${keyOf('campaign', 'campaignId')}]`]),
  ]
  const listing =
    campaign_versions === null
      ? ''
      : `
    LEFT JOIN (
      SELECT shopId, productId, groupUniqArray(campaignId) AS campaignIds
      FROM campaign_versions ARRAY JOIN attributionProductIds AS productId
      WHERE ${campaign_versions} GROUP BY shopId, productId
    ) AS c ON c.shopId = l.shopId AND c.productId = l.shopProductId`
  return {
    lines: `(
    SELECT l.*, arrayJoin(arrayConcat(${lineKeys.join(', ')})) AS lineKey FROM ${lines} AS l${listing})`,
    touches: `(
    SELECT *, arrayJoin(arrayConcat(${touchKeys.join(', ')})) AS touchKey FROM (${touches}))`,
    alike: ' AND r.lineKey = t.touchKey',
  }
}
