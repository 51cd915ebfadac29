import { commonDepth } from '../../services/domain/catalogue/categories.ts'
import type { TextField } from './document.ts'

/**
 * How well an offer fits, as numbers in (0, 1] before the result is normalised.
 *
 * Text is BM25F (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009): the occurrences of a word in each
 * field, weighted and divided by the field's relative length, are added up over the fields and saturated once. Lengths are
 * relative to fixed ones, not to the catalogue's mean, so an offer's score does not depend on other offers.
 * The weights lie in the middle of what worked on product search judgments, not at the peak.
 */

interface FieldWeight {
  weight: number
  /** 0: length does not matter; 1: twice as long counts half. */
  lengthShare: number
  /** Terms of a text of ordinary length. */
  ordinaryLength: number
}

export const fieldWeights: Readonly<Record<TextField, FieldWeight>> = {
  title: { weight: 8, lengthShare: 0.5, ordinaryLength: 13 },
  brand: { weight: 1, lengthShare: 0, ordinaryLength: 1 },
  categories: { weight: 3, lengthShare: 0, ordinaryLength: 3 },
  attributes: { weight: 0.3, lengthShare: 0.75, ordinaryLength: 60 },
  description: { weight: 2, lengthShare: 0.6, ordinaryLength: 15 },
}
/** The weighted occurrences at which a word has half its effect. */
export const SATURATION = 5
/** Bonus when the title has every word, and for the share of words that are neighbours there. */
export const ALL_IN_TITLE_BONUS = 0.05
export const ADJACENT_BONUS = 0.05
/** Words are neighbours even with one joined spelling between them (dv7 1211ea dv71211ea notebook). */
export const ADJACENT_DISTANCE_MAX = 2
/** Relevance of an offer that passes the filters and does not fit at all. */
export const RELEVANCE_MIN = 0.00001

/** What `count` occurrences in a field with `length` terms add to a word's weighted occurrences in a document. */
export function occurrenceWeight(field: TextField, count: number, length: number): number {
  const { weight, lengthShare, ordinaryLength } = fieldWeights[field]
  return (weight * count) / (1 - lengthShare + (lengthShare * length) / ordinaryLength)
}

/** Effect of a word on the score of a document, below 1. */
export const saturated = (occurrences: number): number => occurrences / (occurrences + SATURATION)

/** The weighted occurrences that have this effect. */
export const occurrencesOf = (effect: number): number => (SATURATION * effect) / (1 - effect)

/**
 * What offers get that say a word otherwise, of what they would get for the word itself: what was typed comes first.
 * Between 0.1 and 0.3 makes little difference; from 0.4 on, the next best names push out better offers.
 */
export const ALTERNATIVE_SHARE = 0.2
/** Effect of an alternative, by the mean effect of its terms. */
export const alternativeEffect = (effect: number): number => ALTERNATIVE_SHARE * effect

/** BM25's inverse document frequency of a word in `matching` of `total` documents, never below 0. */
export const rarity = (matching: number, total: number): number =>
  Math.log(1 + Math.max(0, total - matching + 0.5) / (matching + 0.5))

export interface TextMatch {
  /** Sum of rarity x saturated occurrences over the phrase's words, divided by the sum of rarities. */
  score: number
  /** Distinct words of the phrase. */
  words: number
  found: number
  foundInTitle: number
  /** Pairs of neighbours in the phrase that are neighbours in the title. */
  adjacent: number
}

/** In [0, 1]. */
export function textRelevance({ score, words, found, foundInTitle, adjacent }: TextMatch): number {
  if (found === 0) return 0
  const bonus =
    (foundInTitle === words ? ALL_IN_TITLE_BONUS : 0) + (words > 1 ? (ADJACENT_BONUS * adjacent) / (words - 1) : 0)
  return ((score + bonus) / (1 + ALL_IN_TITLE_BONUS + ADJACENT_BONUS)) * (found / words)
}

/** Of a category path, normalised. */
type Levels = readonly string[]

/** Share of the deepest wanted path that an offer's paths have in common with a wanted one, in [0, 1]. */
export function categoryRelevance(offerPaths: readonly Levels[], wanted: readonly Levels[]): number {
  const deepest = Math.max(1, ...wanted.map((levels) => levels.length))
  let common = 0
  for (const path of offerPaths) for (const levels of wanted) common = Math.max(common, commonDepth(path, levels))
  return common / deepest
}

/** Grows with the order of magnitude, so that a bid can outweigh some popularity. */
export const popularityRelevance = (popularity: number): number => Math.log1p(Math.max(0, popularity))

/** How many of a text filter's distinct words an offer must have. Shares such as 0.3 are rounded up in binary: hence 1e-9. */
export const wordsNeeded = (minShare: number, words: number): number => Math.max(1, Math.ceil(minShare * words - 1e-9))
