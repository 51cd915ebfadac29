import type { AdEvent } from '../../../schemas/records/events.ts'

/** Hashes that say where an event came from. None can be turned back into an address. */
export type ClientHashes = Pick<AdEvent, 'addressHash' | 'previousAddressHash' | 'networkHash' | 'agentHash'>

/** The hashes of a client whose public address is not known. */
export const UNKNOWN_CLIENT: ClientHashes = {
  addressHash: null,
  previousAddressHash: null,
  networkHash: null,
  agentHash: null,
}
