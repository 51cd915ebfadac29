/**
 * The prior of a shop without views: 4 clicks in 1,000 views, the order of magnitude that retail media networks report for
 * sponsored products (0.3 % to 0.5 %).
 */
const GENERAL_CLICK_RATE = 0.004
/** The weight of a prior: as many views as it expects this many clicks in. */
export const PRIOR_CLICKS = 2

/**
 * Predicted click rate in (0, 1): the mean of the beta-binomial posterior
 * (Wang et al., Click-Through Rate Estimation for Rare Events in Online Advertising, 2011).
 * @param prior the rate of what has no views; of a product, the rate of its shop. A prior far from the shop's real rate would
 *   let new products always win against known ones, or never.
 */
export function clickRateOf(views: number, clicks: number, prior: number): number {
  // Clicks of views that were never reported would make it more than one click a view.
  return (Math.min(clicks, views) + PRIOR_CLICKS) / (views + PRIOR_CLICKS / prior)
}

/** A predicted click rate where it is known to be this many times what is usual for the product. */
export const liftedClickRate = (clickRate: number, lift: number): number => Math.min(1, clickRate * lift)

/** `clickRateOf` what was observed; null: nothing was. */
export function predictClickRate(
  observed: { views: number; clicks: number } | null,
  prior = GENERAL_CLICK_RATE,
): number {
  return clickRateOf(observed?.views ?? 0, observed?.clicks ?? 0, prior)
}
