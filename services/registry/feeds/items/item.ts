/** One product of a feed as parsed from its XML, before any rule is applied. */
export interface FeedItem {
  /** Line of the file that the item starts on, from 1. */
  line: number
  elements: FeedElement[]
  /** The item exceeds the size limit: `elements` has those before it was reached. */
  tooLarge: boolean
}

/**
 * `google`: of the namespace http://base.google.com/ns/1.0, or prefixed g. `custom`: of http://base.google.com/cns/1.0,
 * or prefixed c. `plain`: without a prefix, so RSS, Atom or no namespace. Elements of other namespaces are left out.
 */
export type NameSpace = 'google' | 'custom' | 'plain'

export interface FeedElement {
  space: NameSpace
  /** Custom: as written. Else in lower snake case, so that imageLink and image-link are image_link. */
  name: string
  /** All text inside, nested elements' too, in order. */
  text: string
  /** As its sender wrote it, where that is not the text. */
  written?: string
  children: { name: string; text: string }[]
  /** Attribute href, of Atom links. */
  href: string | null
  /** Attribute rel, of Atom links. */
  rel: string | null
  line: number
}

/** `imageLink`, `image-link` and `Image_Link` are `image_link`. */
export function fieldName(local: string): string {
  return local
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}
