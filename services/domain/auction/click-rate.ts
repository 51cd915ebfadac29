/**
 * What is believed of a shop that has shown nothing: 4 clicks in 1,000 views, the order of magnitude that retail media
 * networks report for sponsored products (0.3 % to 0.5 %).
 */
const GENERAL_CLICK_RATE = 0.004
/** A belief weighs as much as the views of its own in which it expects so many clicks. */
export const PRIOR_CLICKS = 2

/**
 * Predicted click rate in (0, 1): the mean of the beta-binomial posterior
 * (Wang et al., Click-Through Rate Estimation for Rare Events in Online Advertising, 2011).
 * @param believed of what has no views. Of a product it is its shop's rate: were it far from what the shop's ads come to,
 *   what is new could never win against what has been seen, or always would.
 */
export function clickRateOf(views: number, clicks: number, believed: number): number {
  // Clicks of views that were never reported would make it more than one click a view.
  return (Math.min(clicks, views) + PRIOR_CLICKS) / (views + PRIOR_CLICKS / believed)
}

/** The same, of what was observed; null: nothing. */
export function predictClickRate(
  observed: { views: number; clicks: number } | null,
  believed = GENERAL_CLICK_RATE,
): number {
  return clickRateOf(observed?.views ?? 0, observed?.clicks ?? 0, believed)
}
