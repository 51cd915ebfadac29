/** The log positions from which the parts of a document were made; 0 when that part has not arrived yet. */
export interface PartVersions {
  offerVersion: number
  /** The version of the offer for which the list of campaigns was computed. */
  promotedVersion: number
  /** The registry version from which that list was computed. */
  registryVersion: number
}

export const NO_PARTS: PartVersions = { offerVersion: 0, promotedVersion: 0, registryVersion: 0 }

/** Applies the versions of a list of campaigns to `stored`. @returns false, without a change, when the stored list is as new or newer. */
export function takePromotions(
  { version, offerVersion }: { version: number; offerVersion: number },
  stored: PartVersions,
): boolean {
  const ofOther = offerVersion - stored.promotedVersion
  if (ofOther < 0 || (ofOther === 0 && version <= stored.registryVersion)) return false
  stored.promotedVersion = offerVersion
  stored.registryVersion = version
  return true
}
