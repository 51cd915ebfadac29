/**
 * Which pairs of a line and a touch of its person are joined: those that may match, and beside them no others, all of first lines, or all
 * of touches with `isStrongest`.
 */
export type Pairs = 'MATCHING' | 'MATCHING_AND_FIRST' | 'MATCHING_AND_STRONGEST'

interface Joined {
  /** SQL of lines and touches, in parentheses or a table. */
  lines: string
  touches: string
  /** Null when no campaign has an attribution list. */
  campaign_versions: string | null
}

/**
 * Prepares lines and touches for a join of these pairs: makes a column `lineKey` of lines, which are once for each of their keys, and a
 * column `touchKey` of touches. Keys are the product, its item groups, and the campaigns that ever listed it. A line and a touch that
 * match have one in common; that they have one does not mean that they match. One more key joins all lines with some touches, or some
 * lines with all touches.
 * @returns SQL of both in parentheses or a table, and `alike`, a further condition of their join as `r` and `t`, which begins with AND.
 */
export function paired(pairs: Pairs, { lines, touches, campaign_versions }: Joined) {
  const keyOf = (what: string, value: string) => `cityHash64('${what}', ${value})`
  const more = `[${keyOf('more', "''")}]`
  const beside = {
    MATCHING: { ofLines: [], ofTouches: [] },
    MATCHING_AND_FIRST: { ofLines: [`if(l.isFirst, ${more}, [])`], ofTouches: [more] },
    MATCHING_AND_STRONGEST: { ofLines: [more], ofTouches: [`if(isStrongest, ${more}, [])`] },
  }[pairs]
  const lineKeys = [
    `[${keyOf('product', 'l.shopProductId')}]`,
    `arrayMap(each -> ${keyOf('group', 'each')}, l.itemGroups)`,
    ...beside.ofLines,
    ...(campaign_versions === null ? [] : [`arrayMap(each -> ${keyOf('campaign', 'each')}, c.campaignIds)`]),
  ]
  const touchKeys = [
    ...beside.ofTouches,
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
