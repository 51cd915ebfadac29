import { commonDepth } from '../../services/domain/catalogue/categories.ts'
import type { TextField } from './document.ts'

/**
 * How well an offer fits a query, as numbers in (0, 1] before the result is normalised.
 *
 * Text is ranked by BM25F (Robertson, Zaragoza: The Probabilistic Relevance Framework, 2009): the occurrences of a word in each
 * field are weighted, divided by the field's relative length, added up over the fields and saturated once. Lengths are relative
 * to fixed lengths, not to the catalogue's mean, so the length of other offers' texts does not change an offer's score.
 * The weights lie in the middle of the range that worked on product search judgments, not at its peak.
 */

interface FieldWeight {
  weight: number
  /** BM25's b: at 0 the length does not matter, at 1 an occurrence in a text twice as long counts half. */
  lengthShare: number
  /** The number of terms in a text of ordinary length. */
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
/** The bonus when the title has every word, and the bonus for the share of neighbouring words that are neighbours in the title, too. */
export const ALL_IN_TITLE_BONUS = 0.05
export const ADJACENT_BONUS = 0.05
/** 2, so that words still count as neighbours with one joined spelling between them (dv7 1211ea dv71211ea notebook). */
export const ADJACENT_DISTANCE_MAX = 2
/** Relevance of an offer that passes the filters and does not fit at all. */
export const RELEVANCE_MIN = 0.00001

/** How much `count` occurrences in a field of `length` terms add to a word's weighted occurrences in a document. */
export function occurrenceWeight(field: TextField, count: number, length: number): number {
  const { weight, lengthShare, ordinaryLength } = fieldWeights[field]
  return (weight * count) / (1 - lengthShare + (lengthShare * length) / ordinaryLength)
}

/** The effect of a word on the score of a document, below 1. */
export const saturated = (occurrences: number): number => occurrences / (occurrences + SATURATION)

/** The inverse of `saturated`: the weighted occurrences that have this effect. */
export const occurrencesOf = (effect: number): number => (SATURATION * effect) / (1 - effect)

/**
 * The effect of an alternative as a share of the effect of the word itself, so that offers with the typed word come first.
 * Values between 0.1 and 0.3 make little difference; from 0.4 on, offers found by alternatives displace better ones.
 */
const ALTERNATIVE_SHARE = 0.2
/** The effect of an alternative, given the mean effect of its terms. */
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
  /** How many pairs of neighbours in the phrase are neighbours in the title, too. */
  adjacent: number
}

/** In [0, 1]. */
export function textRelevance({ score, words, found, foundInTitle, adjacent }: TextMatch): number {
  if (found === 0) return 0
  const bonus =
    (foundInTitle === words ? ALL_IN_TITLE_BONUS : 0) + (words > 1 ? (ADJACENT_BONUS * adjacent) / (words - 1) : 0)
  return ((score + bonus) / (1 + ALL_IN_TITLE_BONUS + ADJACENT_BONUS)) * (found / words)
}

/** The normalised levels of a category path. */
type Levels = readonly string[]

/** The most levels that a path of the offer shares with a wanted path, divided by the depth of the deepest wanted path; in [0, 1]. */
export function categoryRelevance(offerPaths: readonly Levels[], wanted: readonly Levels[]): number {
  const deepest = Math.max(1, ...wanted.map((levels) => levels.length))
  let common = 0
  for (const path of offerPaths) for (const levels of wanted) common = Math.max(common, commonDepth(path, levels))
  return common / deepest
}

/** Logarithmic, so that a bid can outweigh some popularity. */
export const popularityRelevance = (popularity: number): number => Math.log1p(Math.max(0, popularity))

/** How many of a text filter's distinct words an offer must have. Without 1e-9, binary rounding would make 0.07 of 100 words 8 words. */
export const wordsNeeded = (minShare: number, words: number): number => Math.max(1, Math.ceil(minShare * words - 1e-9))
