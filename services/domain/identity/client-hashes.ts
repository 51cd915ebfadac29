import type { AdEvent } from '../../../schemas/records/events.ts'

/** What an event says of where it came from, none of which can be turned back into an address. */
export type ClientHashes = Pick<AdEvent, 'addressHash' | 'previousAddressHash' | 'networkHash' | 'agentHash'>

/** Of a client whose public address is not known. */
export const UNKNOWN_CLIENT: ClientHashes = {
  addressHash: null,
  previousAddressHash: null,
  networkHash: null,
  agentHash: null,
}
