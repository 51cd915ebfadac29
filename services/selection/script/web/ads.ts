import type { Static } from 'typebox'
import type { SelectionAnswer, SponsoredAd } from '../../../../schemas/http/selection.ts'
import type { Targeting } from '../../../../schemas/http/targeting.ts'

export type Ad = Static<typeof SponsoredAd>

/** Longer than the server's own deadline. */
const TIMEOUT_MS = 10_000

/** Requests the ads of each slot. A slot has none when the server refuses it or does not answer. */
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
