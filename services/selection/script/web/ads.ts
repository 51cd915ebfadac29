import type { Static } from 'typebox'
import type { SelectionAnswer, SponsoredAd, Targeting } from '../../../../schemas/http/selection.ts'

export type Ad = Static<typeof SponsoredAd>

/** Longer than the server takes to give up on its own. */
const TIMEOUT_MS = 10_000

/** The ads of each slot. One without an answer, or that the server refuses, has no ads. */
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
      return targeting.map((_, index) => {
        const { ads = [], error } = data[index] ?? {}
        if (error) console.warn('endcap:', error.message.replaceAll(/\/targeting\/\d+\//g, ''))
        return ads
      })
    }
    console.warn('endcap:', await response.text())
  } catch (error) {
    console.warn('endcap:', error)
  }
  return targeting.map(() => [])
}
