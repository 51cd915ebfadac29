import type { Static } from 'typebox'
import type { SelectionAnswer, SponsoredAd, Targeting } from '../../../../schemas/http/selection.ts'

export type Ad = Static<typeof SponsoredAd>

/** Longer than the server takes to give up on its own. */
const TIMEOUT_MS = 10_000

/**
 * The ads of each slot. When the server refuses the request, each slot is asked for alone: one may be gone, or of another
 * shop. A slot without an answer has no ads.
 */
export async function askForAds(base: string, cid: string, targeting: readonly Targeting[]): Promise<Ad[][]> {
  try {
    const response = await fetch(`${base}/v1/dsa/raw/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cid },
      body: JSON.stringify({ targeting }),
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.ok) {
      const { data } = (await response.json()) as Static<typeof SelectionAnswer>
      return targeting.map((_, index) => data[index]?.ads ?? [])
    }
    console.warn('endcap:', await response.text())
    if (response.status < 500 && targeting.length > 1) {
      return (await Promise.all(targeting.map((one) => askForAds(base, cid, [one])))).flat()
    }
  } catch (error) {
    console.warn('endcap:', error)
  }
  return targeting.map(() => [])
}
