import type { FormattedSlot } from '../../../../../schemas/http/formatted.ts'
import { adLabels } from '../../../../domain/ad-labels.ts'
import type { Ad } from '../ads.ts'
import { adLink } from './card.ts'
import { el } from './element.ts'
import cssText from './style.css'

export interface ShownAd {
  ad: Ad
  link: HTMLAnchorElement
}

/** The ads in one element of the page, in a shadow tree that the page's style sheets do not reach. */
export interface Block {
  /** Shows ads in place of the empty boxes. Ads without a usable link are left out. */
  show(ads: readonly Ad[]): ShownAd[]
}

interface Shadow {
  root: ShadowRoot
  /** What the page itself has set in the element's style attribute. */
  minHeight: string
}
const shadows = new WeakMap<HTMLElement, Shadow>()
let sheet: CSSStyleSheet | undefined

/** Reserves the space of all ads of the slot at once, so that the page does not shift when they arrive. */
export function openBlock(host: HTMLElement, { rows, cols, lang }: FormattedSlot): Block {
  const { root, minHeight } = shadowOf(host)
  const pageLang = (host.closest<HTMLElement>('[lang]') ?? document.documentElement).lang
  const languages = [pageLang, lang]
  const labels = adLabels(languages)

  const label = el('p', 'label', labels.sponsored)
  label.id = 'label'
  label.lang = labels.lang
  const cells = Array.from({ length: rows * cols }, (_, index) => {
    const cell = el('li', 'cell')
    cell.style.gridArea = `${Math.floor(index / cols) + 1} / ${(index % cols) + 1}`
    return cell
  })
  const list = el('ul', 'list', ...cells)
  // Safari does not announce a list without bullets as a list.
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
        const link = adLink(ad, labels, languages)
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
      // Without ads, the element shows what the page itself put into it.
      if (shown.length === 0) box.replaceChildren(el('slot', ''))
      if (shown.length <= (rows - 1) * cols) keepHeight(host, box, height)
      return shown
    },
  }
}

/** Keeps the space of empty rows until the page can shift without anybody seeing it. */
function keepHeight(host: HTMLElement, box: HTMLElement, height: number): void {
  box.style.minHeight = `${height}px`
  whenOutOfSight(host, () => {
    if (!box.isConnected) return
    box.style.minHeight = ''
    // The page may have reserved the space too.
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

/**
 * Attaches a shadow tree to the element. Where it cannot hold one (lists, links) or has one, the tree is attached to a new child,
 * which takes the element's own content.
 */
function attach(host: HTMLElement): ShadowRoot {
  try {
    return host.attachShadow({ mode: 'open' })
  } catch {
    const child = el('div', '', ...host.childNodes)
    host.append(child)
    return child.attachShadow({ mode: 'open' })
  }
}

/**
 * Calls back once what follows the element can move without anybody seeing it: when the element lies wholly below the
 * visible part of the page, or is not rendered.
 */
function whenOutOfSight(element: Element, onOutOfSight: () => void): void {
  const observer = new IntersectionObserver(([entry]) => {
    const { isIntersecting, boundingClientRect, rootBounds } = entry!
    const below = boundingClientRect.top >= (rootBounds?.bottom ?? innerHeight)
    if (isIntersecting || (boundingClientRect.height > 0 && !below)) return
    observer.disconnect()
    onOutOfSight()
  })
  observer.observe(element)
}
