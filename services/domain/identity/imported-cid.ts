/** The cid of a customer of imported orders who has none. It contains the uid, so whoever erases the uid must erase it, too. */
export const cidOfCustomer = (uid: string): string => `customer:${uid}`
