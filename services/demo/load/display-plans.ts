import type { AdvertiserKey } from './accounts.ts'
import type { Scene } from './banner-art.ts'

/** A display campaign of the demo. */
export interface DisplayPlan {
  key: string
  advertiser: AdvertiserKey
  name: string
  /** Euros for 1000 views. */
  cpm: number
  budget: number
  title: string
  callToAction: string
  /** The path in the shop. */
  target: string
  scene: Scene
  categoryPaths: readonly string[]
  /** The category whose sales count for the campaign. */
  sells: string
  moderation: 'ACCEPTED' | 'WAITING' | { rejected: string }
}

export const DISPLAY: readonly DisplayPlan[] = [
  {
    key: 'evenings',
    advertiser: 'lumbra',
    name: 'Warm light, long evenings',
    cpm: 7.5,
    budget: 90,
    title: 'Warm light for long evenings',
    callToAction: 'See the lamps',
    target: '/c/living/lighting',
    scene: {
      background: '#3d4a44',
      props: [
        { kind: 'pendant', color: 'ochre', x: 0.62, y: 0.36, size: 0.72 },
        { kind: 'armchair', color: 'terracotta', x: 0.84, y: 0.62, size: 0.74 },
        { kind: 'vase', color: 'cream', x: 0.58, y: 0.8, size: 0.36 },
      ],
    },
    categoryPaths: [],
    sells: 'Living > Lighting',
    moderation: 'ACCEPTED',
  },
  {
    key: 'outside',
    advertiser: 'peak',
    name: 'Out there',
    cpm: 8.2,
    budget: 60,
    title: 'Further than last weekend',
    callToAction: 'Pack your bag',
    target: '/c/outdoor',
    scene: {
      background: '#5b7d8c',
      props: [
        { kind: 'tent', color: 'mustard', x: 0.74, y: 0.54, size: 0.88 },
        { kind: 'backpack', color: 'rust', x: 0.92, y: 0.62, size: 0.6 },
        { kind: 'lantern', color: 'forest green', x: 0.57, y: 0.72, size: 0.42 },
      ],
    },
    categoryPaths: ['Outdoor', 'Sports'],
    sells: 'Outdoor',
    moderation: 'ACCEPTED',
  },
  {
    key: 'silence',
    advertiser: 'ondea',
    name: 'Silence, please',
    cpm: 6.4,
    budget: 380,
    title: 'Silence, please. Then music.',
    callToAction: 'Hear the difference',
    target: '/c/electronics/audio',
    scene: {
      background: '#7a5560',
      props: [
        { kind: 'headphones', color: 'cream', x: 0.75, y: 0.5, size: 0.86 },
        { kind: 'speaker', color: 'terracotta', x: 0.93, y: 0.62, size: 0.56 },
      ],
    },
    categoryPaths: [],
    sells: 'Electronics > Audio',
    moderation: 'WAITING',
  },
  {
    key: 'plant',
    advertiser: 'fernhill',
    name: 'Plant something',
    cpm: 4.8,
    budget: 300,
    title: 'Plant something today',
    callToAction: 'To the garden',
    target: '/c/garden/plants',
    scene: {
      background: '#6f8a5e',
      props: [
        { kind: 'planter', color: 'terracotta', x: 0.66, y: 0.56, size: 0.76 },
        { kind: 'watering-can', color: 'cream', x: 0.88, y: 0.6, size: 0.68 },
      ],
    },
    categoryPaths: ['Garden'],
    sells: 'Garden > Plants',
    moderation: 'WAITING',
  },
  {
    key: 'half-price',
    advertiser: 'ondea',
    name: 'Half price, everything',
    cpm: 9,
    budget: 200,
    title: 'EVERYTHING HALF PRICE!!!',
    callToAction: 'BUY NOW',
    target: '/c/electronics',
    scene: {
      background: '#c23b31',
      props: [
        { kind: 'camera', color: 'silver', x: 0.7, y: 0.52, size: 0.76 },
        { kind: 'watch', color: 'graphite', x: 0.9, y: 0.52, size: 0.7 },
      ],
    },
    categoryPaths: [],
    sells: 'Electronics > Photo',
    moderation: {
      rejected:
        'Only some of the products are at half price, so the title is not true. Please name them, and write it in ordinary letters.',
    },
  },
]
