/**
 * What is believed of a product that nobody has seen: 4 clicks in 1,000 views, the order of magnitude that retail
 * media networks report for sponsored products (0.3 % to 0.5 %). In an auction only the ratio between products counts.
 */
const PRIOR_CLICK_RATE = 0.004
/** Views of its own after which a product's record weighs as much as the belief: two clicks' worth. */
const PRIOR_VIEWS = 500

/**
 * Predicted click rate in (0, 1): the mean of the beta-binomial posterior
 * (Wang et al., Click-Through Rate Estimation for Rare Events in Online Advertising, 2011).
 */
export function predictClickRate(signals: { views: number; clicks: number } | null): number {
  const views = signals?.views ?? 0
  // Clicks of views that were never reported would make it more than one click a view.
  const clicks = Math.min(signals?.clicks ?? 0, views)
  return (clicks + PRIOR_CLICK_RATE * PRIOR_VIEWS) / (views + PRIOR_VIEWS)
}
