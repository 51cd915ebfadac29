/** One product of a feed as parsed from its XML, before any rule is applied. */
export interface FeedItem {
  /** Line of the file that the item starts on, from 1. */
  line: number
  elements: FeedElement[]
  /** Whether the item exceeds the size limit. `elements` then has the elements before the limit was reached. */
  tooLarge: boolean
}

/**
 * `google`: the namespace http://base.google.com/ns/1.0, or the prefix g. `custom`: http://base.google.com/cns/1.0, or the
 * prefix c. `plain`: no prefix, so RSS, Atom or no namespace. Elements of other namespaces are left out.
 */
export type NameSpace = 'google' | 'custom' | 'plain'

export interface FeedElement {
  space: NameSpace
  /** In the custom namespace the name as written; otherwise in lower snake case, so that imageLink and image-link are image_link. */
  name: string
  /** All text inside the element, including that of nested elements, in order. */
  text: string
  /** The value as its sender wrote it, when that differs from `text`. */
  written?: string
  children: { name: string; text: string }[]
  /** Attribute href of an Atom link. */
  href: string | null
  /** Attribute rel of an Atom link. */
  rel: string | null
  line: number
}

/** Normalizes a name: `imageLink`, `image-link` and `Image_Link` become `image_link`. */
export function fieldName(local: string): string {
  return local
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}
