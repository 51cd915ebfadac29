import { fieldName, type NameSpace } from '../items/item.ts'

const GOOGLE = /^https?:\/\/base\.google\.com\/ns\/1\.0\/?$/i
const CUSTOM = /^https?:\/\/base\.google\.com\/cns\/1\.0\/?$/i

const NAMES_KNOWN_MAX = 1_000
const NAME_KNOWN_CHARS_MAX = 100

export interface ElementName {
  space: NameSpace | 'other'
  /** The name without its prefix, as written. */
  local: string
  /** The name as `fieldName` normalizes it. */
  field: string
}

/**
 * Resolves element names by the namespaces in scope. The prefixes g and c mean Google's namespaces even when they are undeclared or
 * declared as something else: real feeds do both.
 */
export class ElementNames {
  readonly #scopes: { depth: number; uris: Map<string, string> }[] = []
  readonly #known = new Map<string, { uri: string | undefined; name: ElementName }>()

  /** The name of an element that opens at this depth with these attributes. */
  enter(tagName: string, attributes: Readonly<Record<string, string>>, depth: number): ElementName {
    for (const attribute in attributes) {
      if (attribute === 'xmlns') this.#declare('', attributes[attribute]!, depth)
      else if (attribute.startsWith('xmlns:')) this.#declare(attribute.slice(6), attributes[attribute]!, depth)
    }
    const colon = tagName.indexOf(':')
    const prefix = colon < 0 ? '' : tagName.slice(0, colon)
    const uri = this.#uri(prefix)
    const known = this.#known.get(tagName)
    if (known && known.uri === uri) return known.name
    const local = tagName.slice(colon + 1)
    const name: ElementName = { space: spaceOf(prefix, uri), local, field: fieldName(local) }
    // Bounded, because a hostile feed may use a new long name for every element.
    if (this.#known.size < NAMES_KNOWN_MAX && tagName.length <= NAME_KNOWN_CHARS_MAX) {
      this.#known.set(tagName, { uri, name })
    }
    return name
  }

  /** To be called when the element at this depth has closed: its declarations go out of scope. */
  leave(depth: number): void {
    if (this.#scopes.at(-1)?.depth === depth) this.#scopes.pop()
  }

  #declare(prefix: string, uri: string, depth: number): void {
    let scope = this.#scopes.at(-1)
    if (scope?.depth !== depth) {
      scope = { depth, uris: new Map() }
      this.#scopes.push(scope)
    }
    scope.uris.set(prefix, uri.trim())
  }

  #uri(prefix: string): string | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const uri = this.#scopes[i]!.uris.get(prefix)
      if (uri !== undefined) return uri
    }
    return undefined
  }
}

function spaceOf(prefix: string, uri: string | undefined): ElementName['space'] {
  if (uri !== undefined && CUSTOM.test(uri)) return 'custom'
  if (uri !== undefined && GOOGLE.test(uri)) return 'google'
  const lower = prefix.toLowerCase()
  if (lower === 'g') return 'google'
  if (lower === 'c') return 'custom'
  return prefix === '' ? 'plain' : 'other'
}
