/** Who asks: a browser or app, and its user where the page knows one. */
export interface Person {
  cid: string
  uid: string | null
}
