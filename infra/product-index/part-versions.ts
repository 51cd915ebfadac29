/** What the parts of a document follow from; 0: that part has not come yet. */
export interface PartVersions {
  offerVersion: number
  /** The offer that the list of campaigns was made of. */
  promotedVersion: number
  /** How much of the registry that list follows from. */
  registryVersion: number
}

export const NO_PARTS: PartVersions = { offerVersion: 0, promotedVersion: 0, registryVersion: 0 }

/** Takes in the versions of a list of campaigns. @returns false, and nothing changes, when it is not newer than the one that is there. */
export function takePromotions(
  { version, offerVersion }: { version: number; offerVersion?: number | undefined },
  stored: PartVersions,
): boolean {
  const ofOther = offerVersion === undefined ? 0 : offerVersion - stored.promotedVersion
  if (ofOther < 0 || (ofOther === 0 && version <= stored.registryVersion)) return false
  stored.promotedVersion = offerVersion ?? stored.offerVersion
  stored.registryVersion = version
  return true
}
