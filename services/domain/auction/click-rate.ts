/**
 * The prior of a shop without views: 4 clicks in 1,000 views, the order of magnitude that retail media networks report for
 * sponsored products (0.3 % to 0.5 %).
 */
const GENERAL_CLICK_RATE = 0.004
/** The weight of a prior: it counts as the number of views in which it expects this many clicks. */
export const PRIOR_CLICKS = 2

/**
 * Predicted click rate in (0, 1): the mean of the beta-binomial posterior
 * (Wang et al., Click-Through Rate Estimation for Rare Events in Online Advertising, 2011).
 * @param prior the rate assumed when there are no views; for a product, the rate of its shop. A prior far from the shop's
 *   real rate would let new products always win against known ones, or never.
 */
export function clickRateOf(views: number, clicks: number, prior: number): number {
  // Clicks on views that were never reported could make the rate more than one click per view.
  return (Math.min(clicks, views) + PRIOR_CLICKS) / (views + PRIOR_CLICKS / prior)
}

/** The predicted click rate of a product that is clicked `lift` times as often as usual after the phrase searched for. */
export const liftedClickRate = (clickRate: number, lift: number): number => Math.min(1, clickRate * lift)

/** The `clickRateOf` observed views and clicks; null when nothing was observed. */
export function predictClickRate(
  observed: { views: number; clicks: number } | null,
  prior = GENERAL_CLICK_RATE,
): number {
  return clickRateOf(observed?.views ?? 0, observed?.clicks ?? 0, prior)
}
