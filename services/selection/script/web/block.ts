import type { FormattedSlot } from '../../../../schemas/http/formatted.ts'
import type { Ad } from './ads.ts'
import { adLink } from './card.ts'
import { el } from './element.ts'
import { whenOutOfSight } from './out-of-sight.ts'
import cssText from './style.css'
import { wordsIn } from './words.ts'

export interface ShownAd {
  ad: Ad
  link: HTMLAnchorElement
}

/** The ads of one element of the page, in a shadow tree that the page's style sheets do not reach. */
export interface Block {
  /** Shows these in place of the empty boxes; those that cannot be linked to are left out. */
  show(ads: readonly Ad[]): ShownAd[]
}

interface Shadow {
  root: ShadowRoot
  /** What the page itself says in the element's style attribute. */
  minHeight: string
}
const shadows = new WeakMap<HTMLElement, Shadow>()
let sheet: CSSStyleSheet | undefined

/** Takes the room of all ads of the slot at once: what is below stays where it is when they come. */
export function openBlock(host: HTMLElement, { rows, cols, lang }: FormattedSlot): Block {
  const { root, minHeight } = shadowOf(host)
  const pageLang = (host.closest<HTMLElement>('[lang]') ?? document.documentElement).lang
  const languages = [pageLang, lang]
  const words = wordsIn(languages)

  const label = el('p', 'label', words.sponsored)
  label.id = 'label'
  label.lang = words.lang
  const cells = Array.from({ length: rows * cols }, (_, index) => {
    const cell = el('li', 'cell')
    cell.style.gridArea = `${Math.floor(index / cols) + 1} / ${(index % cols) + 1}`
    return cell
  })
  const list = el('ul', 'list', ...cells)
  // Safari takes a list without bullets for none.
  list.setAttribute('role', 'list')
  list.setAttribute('aria-labelledby', label.id)
  list.setAttribute('aria-busy', 'true')
  list.style.setProperty('--cols', String(cols))
  const box = el('div', 'box loading', label, list)
  host.style.minHeight = minHeight
  root.replaceChildren(box)

  return {
    show(ads) {
      const shown = ads.flatMap((ad) => {
        const link = adLink(ad, words, languages)
        return link ? [{ ad, link }] : []
      })
      const height = box.offsetHeight
      box.className = 'box'
      list.removeAttribute('aria-busy')
      for (const [index, cell] of cells.entries()) {
        const link = shown[index]?.link
        if (link) cell.append(link)
        else cell.remove()
      }
      // Without ads, what the page itself put into the element is shown.
      if (shown.length === 0) box.replaceChildren(el('slot', ''))
      if (shown.length <= (rows - 1) * cols) keepHeight(host, box, height)
      return shown
    },
  }
}

/** The room of rows that stay empty is given up only where nobody sees what is below jump. */
function keepHeight(host: HTMLElement, box: HTMLElement, height: number): void {
  box.style.minHeight = `${height}px`
  whenOutOfSight(host, () => {
    if (!box.isConnected) return
    box.style.minHeight = ''
    // The page may have reserved the room too.
    host.style.minHeight = '0'
  })
}

function shadowOf(host: HTMLElement): Shadow {
  const known = shadows.get(host)
  if (known) return known
  const root = attach(host)
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(cssText)
  }
  root.adoptedStyleSheets = [sheet]
  const made = { root, minHeight: host.style.minHeight }
  shadows.set(host, made)
  return made
}

/** Lists, links and some others cannot hold a shadow tree, nor can an element that has one: a child of theirs can. */
function attach(host: HTMLElement): ShadowRoot {
  try {
    return host.attachShadow({ mode: 'open' })
  } catch {
    const child = el('div', '')
    host.replaceChildren(child)
    return child.attachShadow({ mode: 'open' })
  }
}
