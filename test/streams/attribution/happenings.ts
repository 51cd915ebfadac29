import { createHash } from 'node:crypto'
import type { RegistryEntry } from '../../../schemas/records/entities.ts'
import type {
  Emission,
  EventCorrection,
  JudgedEvent,
  PageView,
  Transaction,
  TransactionReturn,
} from '../../../schemas/records/events.ts'
import type { ItemGroup } from '../../../schemas/records/records.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { registryKey } from '../../../services/replicas/registry-keys.ts'
import type { StoredTopic } from '../../../streams/sink/rows.ts'
import { campaign, emission, pageView, purchase, returned, shop, touch } from './events.ts'

/** One event, which tests can shuffle and repeat. */
export type Happening =
  | { topic: 'judged-events'; value: JudgedEvent }
  | { topic: 'corrections'; value: EventCorrection }
  | { topic: 'transactions'; value: Transaction }
  | { topic: 'transaction-returns'; value: TransactionReturn }
  | { topic: 'page-views'; value: PageView }
  | { topic: 'emissions'; value: Emission }
  | { topic: 'registry'; value: RegistryEntry }
  | { topic: 'item-groups'; value: ItemGroup }

export function keyOf(happening: Happening): string {
  switch (happening.topic) {
    case 'registry':
      return registryKey(happening.value)
    case 'item-groups':
      return `${happening.value.shopId}/${happening.value.feedId}/${happening.value.id}`
    case 'judged-events':
      return happening.value.claims.campaignId
    case 'transaction-returns':
      return `${happening.value.shopId}/${happening.value.eventId}`
    default:
      return happening.value.cid
  }
}

export function bytesOf(happening: Happening): Buffer {
  switch (happening.topic) {
    case 'judged-events':
      return encode('JudgedEvent', happening.value)
    case 'corrections':
      return encode('EventCorrection', happening.value)
    case 'transactions':
      return encode('Transaction', happening.value)
    case 'transaction-returns':
      return encode('TransactionReturn', happening.value)
    case 'page-views':
      return encode('PageView', happening.value)
    case 'emissions':
      return encode('Emission', happening.value)
    case 'registry':
      return encode('RegistryEntry', happening.value)
    case 'item-groups':
      return encode('ItemGroup', happening.value)
  }
}

/** The partition of a key among `count` partitions. Any function of the key will do. */
export function partitionOf(key: string, count: number): number {
  return createHash('md5').update(key).digest().readUInt32LE(0) % count
}

export const partitionsOf = (topic: StoredTopic) => (topic === 'registry' ? 1 : 2)

/** Events as records of their topics. */
export const happened = {
  touch: (...args: Parameters<typeof touch>): Happening => ({ topic: 'judged-events', value: touch(...args) }),
  purchase: (...args: Parameters<typeof purchase>): Happening => ({ topic: 'transactions', value: purchase(...args) }),
  returned: (...args: Parameters<typeof returned>): Happening => ({
    topic: 'transaction-returns',
    value: returned(...args),
  }),
  pageView: (...args: Parameters<typeof pageView>): Happening => ({ topic: 'page-views', value: pageView(...args) }),
  emission: (...args: Parameters<typeof emission>): Happening => ({ topic: 'emissions', value: emission(...args) }),
  campaign: (...args: Parameters<typeof campaign>): Happening => ({ topic: 'registry', value: campaign(...args) }),
  shop: (...args: Parameters<typeof shop>): Happening => ({ topic: 'registry', value: shop(...args) }),
  grouping: (id: string, itemGroupId: string): Happening => ({
    topic: 'item-groups',
    value: { shopId: 'shop', feedId: 'feed', id, itemGroupId },
  }),
}
