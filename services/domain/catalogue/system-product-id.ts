import { hash } from 'node:crypto'

/**
 * The `systemProductId` of ads: a name-based UUID (version 5, RFC 9562) of the offer's id, with the shop's id as its
 * namespace. It never changes, and is the same in every feed of the shop.
 */
export function systemProductId(shopId: string, id: string): string {
  const namespace = Buffer.from(shopId.replaceAll('-', ''), 'hex')
  const bytes = hash('sha1', Buffer.concat([namespace, Buffer.from(id)]), 'buffer').subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
