import { v4 as uuid } from 'uuid'
import { client } from '../../../client/client.ts'
import type { paths } from '../../../client/schema.d.ts'
import type { AdUnit } from '../../../client/types.ts'
import { isDisplay, type ParameterName, parameters } from '../ad-units/algorithms.ts'

type SponsoredPost = paths['/v1/dsa/raw/batch']['post']
type DisplayPost = paths['/v1/banner/dsa/raw/batch']['post']
type AdOf<P extends SponsoredPost | DisplayPost> =
  P['responses'][200]['content']['application/json']['data'][number]['ads'][number]
type TargetingOf<P extends SponsoredPost | DisplayPost> =
  P['requestBody']['content']['application/json']['targeting'][number]

export type SponsoredAd = AdOf<SponsoredPost>
export type DisplayAd = Omit<AdOf<DisplayPost>, 'bannerProducts'>
export type AdType = NonNullable<TargetingOf<SponsoredPost>['adType']>

export type ParameterValues = Partial<Record<ParameterName, string | number | string[]>>

export interface TryValues {
  adCount: number
  adType: AdType
  /** Values of the form. Empty values are not sent. */
  values: ParameterValues
}

export interface Selection {
  requestId: string
  sponsored: SponsoredAd[]
  display: DisplayAd[]
}

/** Sends a real ad request for one ad unit, as a new shopper. @throws ApiProblem */
export async function requestAds(unit: AdUnit, { adCount, adType, values }: TryValues): Promise<Selection> {
  const { referer, ...sent } = targetingOf(values)
  const targeting = [{ slotHash: unit.slotHash, adCount, adType, ...sent }]
  const params = { header: { cid: uuid() } }
  if (isDisplay(unit.algorithm)) {
    const referrer = refererOf(referer)
    const { data, response } = await client.POST('/v1/banner/dsa/raw/batch', { params, body: { targeting }, referrer })
    return { requestId: idOf(response), sponsored: [], display: data?.data[0]?.ads ?? [] }
  }
  const { data, response } = await client.POST('/v1/dsa/raw/batch', { params, body: { targeting } })
  return { requestId: idOf(response), sponsored: data?.data[0]?.ads ?? [], display: [] }
}

const idOf = (response: Response) => response.headers.get('request-id') ?? ''

/** Only the path is sent, because browsers send only referrers of their own origin. */
function refererOf(referer: unknown): string {
  const given = typeof referer === 'string' && referer !== '' ? URL.parse(referer, location.origin) : null
  return given === null ? '' : given.pathname + given.search
}

/** The parameters of a request, from the values of the form. */
function targetingOf(values: ParameterValues): Record<string, unknown> {
  const given = Object.entries(values).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== ''))
  return Object.fromEntries(
    given.map(([name, value]) => {
      const isAttributes = parameters[name as ParameterName].input === 'attributes'
      return [name, isAttributes ? (value as string[]).map(attributeOf) : value]
    }),
  )
}

/** Parses 'color=red'. */
function attributeOf(text: string): { name: string; value: string } {
  const [name = '', ...rest] = text.split('=')
  return { name: name.trim(), value: rest.join('=').trim() }
}
