import { HOST, type Known, type Request } from './generated.ts'

/** Display targeting by brute force: it compares the concepts, and never reads their spellings. */

const within = (parts: number[], whole: number[]) => parts.every((part) => whole.includes(part))
const beginsWith = (whole: number[], start: number[]) => start.every((level, at) => whole[at] === level)

/** Whether a pattern matches an address, by a regular expression. */
function patternFits(pattern: string, address: string): boolean {
  const source = pattern.replaceAll(/[.?/]/g, '\\$&').replaceAll('*', '.*')
  const path = address.replace(HOST, '').replace('#top', '')
  const hosts = address.startsWith(HOST) ? ['', 'shop.example', HOST] : ['']
  const forms = hosts.flatMap((host) => [host + path, host + path.split('?')[0]])
  return forms.some((form) => new RegExp(`^${source}$`, 'i').test(form))
}

function fits({ targeting: t, country }: Known, asked: Request, address: string): boolean {
  const is = (kind: string) => asked.chosen.includes(kind)
  const texts = is('searchData')
    ? [asked.searchData, asked.algorithm === 'DISPLAY' ? asked.productTitle : undefined]
    : []
  const paths = is('categoryPaths') ? (asked.categoryPaths ?? []) : []
  const phraseFits = t.phrases.some((each) => texts.some((text) => text && within(each.concepts, text.concepts)))
  const pathFits = t.categoryPaths.some((each) => paths.some((page) => beginsWith(page.concepts, each.concepts)))
  const [setsPhrase, setsPath] = [t.phrases.length > 0, t.categoryPaths.length > 0]
  const topic =
    asked.algorithm === 'DISPLAY'
      ? phraseFits === setsPhrase && pathFits === setsPath
      : phraseFits || pathFits || !(setsPhrase || setsPath)
  const one = <T>(kind: string, wanted: T[], has: (value: T) => boolean) =>
    wanted.length === 0 || (is(kind) && wanted.some(has))
  return (
    topic &&
    country === asked.country.toUpperCase() &&
    one('brand', t.brands, ({ concepts }) => concepts[0] === asked.brand?.concepts[0]) &&
    one('productId', t.productIds, (id) => id === asked.productId) &&
    one('profiles', t.profiles, (profile) => asked.profiles?.includes(profile) === true) &&
    one('referer', t.refererPatterns, (pattern) => patternFits(pattern, address))
  )
}

interface Possible {
  id: string
  bid: number
  autoPromo: boolean
}

/** Every banner that may be shown, however many places there are. */
export function possible(
  campaigns: Iterable<Known>,
  asked: Request,
  address: string,
  seen: ReadonlySet<string>,
): Possible[] {
  const { unitFormats, adFormatIds = [], adType = 'ALL', algorithm, currency = 'EUR' } = asked
  if (algorithm === 'DISPLAY' && currency.toUpperCase() !== 'EUR') return []
  const allows = (formats: string[], id: string) => formats.length === 0 || formats.includes(id)
  return [...campaigns].flatMap((campaign) => {
    const { fault, autoPromo, bid, banners, capped } = campaign
    if (fault !== null || !fits(campaign, asked, address)) return []
    if (adType !== 'ALL' && autoPromo !== (adType === 'AUTOPROMO')) return []
    return banners
      .filter(
        ({ id, adFormatId }) =>
          allows(unitFormats, adFormatId) && allows(adFormatIds, adFormatId) && !(capped && seen.has(id)),
      )
      .map(({ id }) => ({ id, bid: autoPromo ? 0 : bid, autoPromo }))
  })
}
