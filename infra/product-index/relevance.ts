import { commonDepth } from '../../services/domain/catalogue/categories.ts'
import type { TextField } from './document.ts'

/**
 * How well an offer fits, as numbers in (0, 1] before the result is normalised.
 *
 * Text is BM25F (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009): how often a word stands in each
 * field, weighted and set against the field's length, is added up over the fields and saturated once. Lengths are set
 * against fixed ones, not the catalogue's mean, so that an offer's score does not move with other offers.
 * Weights were chosen in the middle of what worked on product search judgments, not at the peak.
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
/** Weighted occurrences at which a word has half its effect. */
export const SATURATION = 5
/** Bonus when every word stands in the title, and for the share of words that follow one another there. */
export const ALL_IN_TITLE_BONUS = 0.05
export const ADJACENT_BONUS = 0.05
/** Words between which only a joined spelling stands (dv7 1211ea dv71211ea notebook) still follow one another. */
export const ADJACENT_DISTANCE_MAX = 2
/** Relevance of what does not fit at all, but passed the filters. */
export const RELEVANCE_MIN = 0.00001

/** What `count` occurrences in a field with `length` terms add to a word's weighted occurrences in a document. */
export function occurrenceWeight(field: TextField, count: number, length: number): number {
  const { weight, lengthShare, ordinaryLength } = fieldWeights[field]
  return (weight * count) / (1 - lengthShare + (lengthShare * length) / ordinaryLength)
}

/** Effect of a word on the score of a document, below 1. */
export const saturated = (occurrences: number): number => occurrences / (occurrences + SATURATION)

/** How telling a word is that stands in `matching` of `total` documents (BM25's idf, never below 0). */
export const rarity = (matching: number, total: number): number =>
  Math.log(1 + Math.max(0, total - matching + 0.5) / (matching + 0.5))

export interface TextMatch {
  /** Sum over the phrase's words of rarity x saturated occurrences, over the sum of rarities. */
  score: number
  /** Of the phrase's distinct words. */
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

/** Share of the deepest wanted path that an offer's paths have in common with a wanted one, in [0, 1]. */
export function categoryRelevance(offerPaths: readonly string[][], wanted: readonly string[][]): number {
  const deepest = Math.max(1, ...wanted.map((levels) => levels.length))
  let common = 0
  for (const path of offerPaths) for (const levels of wanted) common = Math.max(common, commonDepth(path, levels))
  return common / deepest
}

/** Grows with the order of magnitude, so that a bid can outweigh some popularity. */
export const popularityRelevance = (popularity: number): number => Math.log1p(Math.max(0, popularity))

/**
 * Words of a text filter that an offer must have, at least one. The share is of distinct words; the small allowance is for
 * shares such as 0.3 that binary rounds up.
 */
export const wordsNeeded = (minShare: number, words: number): number => Math.max(1, Math.ceil(minShare * words - 1e-9))
