import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** Characters that are rated. Further ones could only make the password stronger, and would take much longer. */
const JUDGED_CHARS_MAX = 64
/** On a scale of 0 to 4. It means over 10^8 guesses: centuries at the pace of sign-ins, and a while even with a stolen hash. */
const SCORE_MIN = 3
const WORDS_OF_ALL = ['endcap']

let judge: Promise<ZxcvbnFactory> | null = null

/** Loaded on first use, because the dictionaries take about 200 ms to read. */
async function loadJudge(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary: { ...dictionary }, graphs: adjacencyGraphs, maxLength: JUDGED_CHARS_MAX })
}

/** Why a password is too weak, by zxcvbn (Wheeler, USENIX Security 2016); null when it is strong enough. May block for 400 ms. */
export async function weakness(password: string, words: readonly string[]): Promise<string | null> {
  judge ??= loadJudge()
  const judged = password.normalize('NFKC').slice(0, JUDGED_CHARS_MAX)
  const { score, feedback } = (await judge).check(judged, [...words, ...WORDS_OF_ALL])
  return score >= SCORE_MIN ? null : `too easy to guess: ${reasons[feedback.warning ?? ''] ?? UNKNOWN}`
}

const UNKNOWN = 'it is too short or too simple; use more words, or a password manager'
const COMMON = 'it is one of the most common passwords'
const reasons: Readonly<Record<string, string>> = {
  topTen: COMMON,
  topHundred: COMMON,
  common: COMMON,
  similarToCommon: 'it is similar to one of the most common passwords',
  pwned: 'it appears in a known leak',
  simpleRepeat: 'repeated characters add little',
  extendedRepeat: 'repeated words add little',
  straightRow: 'neighbouring keys add little',
  keyPattern: 'keyboard patterns add little',
  sequences: 'sequences such as abc or 6543 add little',
  recentYears: 'years add little',
  dates: 'dates add little',
  wordByItself: 'it is a single word',
  namesByThemselves: 'it is a name',
  commonNames: 'it is a common name',
  userInputs: 'it contains the name, the e-mail address or Endcap',
}
