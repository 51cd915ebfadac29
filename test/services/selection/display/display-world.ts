import { randomUUID } from 'node:crypto'
import type {
  AdUnit,
  Banner,
  BannerTargeting,
  Campaign,
  DisplayAlgorithm,
} from '../../../../schemas/records/entities.ts'
import { type AskOptions, createWorld, sponsored } from '../world.ts'

/** The world of the selection tests as a shop with display ads: in Germany, with one format, and display enabled for both accounts. */

export const FORMAT_ID = '00000000-0000-4000-8000-00000000f001'
export const ALL_KINDS = ['searchData', 'categoryPaths', 'brand', 'productId', 'profiles', 'referer']
export const NO_TARGETING: BannerTargeting = {
  phrases: [],
  categoryPaths: [],
  brands: [],
  productIds: [],
  profiles: [],
  refererPatterns: [],
}

export interface DisplayAd {
  bannerId: string
  showId: string
  requestId: string
  autoPromo: boolean
  adFormatId: string
  [field: string]: unknown
}

/** Changes to a campaign. Kinds of targeting that are left out do not restrict it. */
export type Changes = Omit<Partial<Campaign>, 'targeting'> & { targeting?: Partial<BannerTargeting> }

export type DisplayWorld = Awaited<ReturnType<typeof createDisplayWorld>>

export async function createDisplayWorld() {
  const world = await createWorld()
  const publisher = {
    ...world.snapshot.body('Account', world.accountId)!,
    kind: 'PUBLISHER',
    displayEnabled: true,
  } as const
  world.put('Account', publisher, world.accountId)
  const advertiserId = world.put('Account', { ...publisher, kind: 'ADVERTISER', name: 'Brand' })

  function slot(algorithm: DisplayAlgorithm = 'DISPLAY', changes: Partial<AdUnit> = {}): string {
    return world.unit(algorithm, { targeting: ALL_KINDS, ...changes })
  }
  return {
    ...world,
    world,
    advertiserId,
    publisher,
    slot,
    banner: (changes: Partial<Banner> = {}): Banner => ({
      id: randomUUID(),
      adFormatId: FORMAT_ID,
      images: [],
      logoImageId: null,
      textFields: [],
      lang: null,
      ...changes,
    }),
    /** Adds a running campaign, by default with one banner and for every page. @returns the id of its first banner. */
    display(changes: Changes = {}, id: string = randomUUID()): string {
      const { targeting, ...rest } = changes
      const body: Campaign = {
        ...sponsored(world.shopId, advertiserId),
        kind: 'DISPLAY',
        cpcMicros: 0,
        productIds: null,
        country: 'DE',
        targetUrl: 'https://brand.example/lamps',
        cpmMicros: 2_000_000,
        moderation: { state: 'ACCEPTED', reason: null, decidedAt: 0, decidedBy: '', history: [], submittedAt: 0 },
        banners: [this.banner()],
        targeting: { ...NO_TARGETING, ...targeting },
        ...rest,
      }
      world.put('Campaign', body, id)
      return body.banners[0]!.id
    },
    /** The ads of one slot that counts every kind of targeting. */
    async adsOf(targeting: object = {}, options: AskOptions = {}): Promise<DisplayAd[]> {
      const asked = { slotHash: slot(), adCount: 10, country: 'DE', ...targeting }
      const answer = await world.askDisplay([asked], options)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json().data[0].ads
    },
    /** The banner ids of the ads. */
    async shown(targeting: object = {}, options: AskOptions = {}): Promise<string[]> {
      return (await this.adsOf(targeting, options)).map(({ bannerId }) => bannerId)
    },
  }
}
