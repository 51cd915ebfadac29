/**
 * Which cids are one person. Two cids of a shop are, when both were seen with the same uid and both pairs have a place.
 *
 * Places keep strangers from growing a person without bound. Each uid has places for the cids that it was seen with
 * first, each cid for the uids that it was seen with first; a later pair adds nothing and displaces nothing. Pairs that a
 * proven sender showed have as many places of their own, so that strangers who fill the others cannot keep them out.
 * "First" is by the clock of the intake, then by the id, and never by the order of arrival.
 */

/** Places of a uid. Three browsers that forget their cid every week have 171 cids in the 400 days that the log keeps. */
export const CIDS_PER_UID_MAX = 200

/** Places of a cid: a family with one tablet, some of whom registered twice. */
export const UIDS_PER_CID_MAX = 20

/** Whose places are limited, what takes them, and how many there are. */
export const LINK_PLACES = {
  uid: { takenBy: 'cid', max: CIDS_PER_UID_MAX },
  cid: { takenBy: 'uid', max: UIDS_PER_CID_MAX },
} as const
