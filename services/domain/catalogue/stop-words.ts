/**
 * Words that carry no choice in a shopper's phrase: articles, prepositions, conjunctions. Folded as `text.ts` folds
 * words. Kept short on purpose: a word that can name a product ("off", "on", "no") is not in the list.
 */
const lists: Readonly<Record<string, string>> = {
  en: 'a an and as at be by for from in into is it its of on or our that the their this to was were which with your',
  de: 'am an auf aus bei das dem den der des die ein eine einem einen einer eines fur im in ist mit nach oder und vom von zu zum zur',
  fr: 'a au aux avec ce ces cette dans de des du en est et l la le les ou par pour sans sur un une',
  es: 'a al con de del e el en es la las lo los o para por sin su sus un una unas unos y',
  it: 'a ad ai al alla con da dal dei del della di e ed gli i il in la le lo nel o per su un una uno',
  pt: 'a ao aos as com da das de do dos e em na nas no nos o os ou para pela pelo por um uma',
  nl: 'aan bij de een en het in is met naar of om op te tot uit van voor',
  pl: 'a albo dla do i ich jest lub na nad o od oraz po pod przez przy sie to w we z za ze',
  cs: 'a do i k ke na nebo o od po pro s se u v ve z za ze',
  sv: 'att av den det en ett for fran i med och om pa som till',
  da: 'af at den det en et for fra i med og om pa som til',
  no: 'av den det en et for fra i med og om pa som til',
}

const sets = new Map(Object.entries(lists).map(([lang, words]) => [lang, new Set(words.split(' '))]))
const none: ReadonlySet<string> = new Set()

/** Stop words of a language by its ISO 639-1 code; empty for a language without a list. */
export const stopWords = (lang: string): ReadonlySet<string> => sets.get(lang) ?? none
