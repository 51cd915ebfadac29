import { type ComboboxItem, Select, type SelectProps } from '@mantine/core'
import { useMemo } from 'react'
import { countries } from '../../../../domain/codes.ts'

export type CodeKind = 'country' | 'language' | 'currency' | 'timeZone'

export interface CodeSelectProps extends Omit<SelectProps, 'data' | 'filter' | 'searchable'> {
  kind: CodeKind
}

interface Choice extends ComboboxItem {
  /** The text that a search looks through: the name in the reader's language and in English, and the code. */
  words: string
}

const SHOWN_MAX = 100
/** Currency codes that people do not pay with: numbers, metals and funds. */
const NO_MONEY = /^X(?!AF|CD|OF|PF)|^(BOV|CHE|CHW|COU|CLF|MXV|USN|UYI|UYW)$/

/** A country, language, currency or time zone, searched by its name or its code: `spain` finds Spain (ES). */
export function CodeSelect({ kind, ...props }: CodeSelectProps) {
  const own = typeof props.value === 'string' ? props.value : ''
  const data = useMemo(() => choicesOf(kind, own), [kind, own])
  return (
    <Select
      searchable
      allowDeselect={false}
      limit={SHOWN_MAX}
      maw={456}
      data={data}
      filter={({ options, search, limit }) => matching(options as Choice[], search).slice(0, limit)}
      {...props}
    />
  )
}

/** The readable name of a code, such as Spain; the code itself when it has no name. */
export function codeName(kind: Exclude<CodeKind, 'timeZone'>, code: string): string {
  const type = kind === 'country' ? 'region' : kind
  return new Intl.DisplayNames(undefined, { type, fallback: 'code' }).of(code) ?? code
}

function choicesOf(kind: CodeKind, own: string): Choice[] {
  const codes = kind === 'country' ? countries : kind === 'language' ? languages() : supported(kind)
  const choice = kind === 'timeZone' ? zoneChoice : nameChoice(kind)
  return [...new Set([...codes, ...(own === '' ? [] : [own])])]
    .map(choice)
    .sort((a, b) => a.label.localeCompare(b.label))
}

const supported = (kind: 'currency' | 'timeZone') =>
  kind === 'currency'
    ? Intl.supportedValuesOf('currency').filter((code) => !NO_MONEY.test(code))
    : ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** ISO 639-1: every pair of letters that has a name. */
function languages(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  return letters.flatMap((a) => letters.map((b) => a + b)).filter((code) => isLanguage(code) && names.of(code))
}

/** Excludes old codes that have been replaced, such as iw for Hebrew. */
const isLanguage = (code: string) =>
  new Intl.Locale(code).language === code && Intl.getCanonicalLocales(code)[0] === code

function nameChoice(kind: Exclude<CodeKind, 'timeZone'>): (code: string) => Choice {
  const type = kind === 'country' ? 'region' : kind
  const own = new Intl.DisplayNames(undefined, { type })
  const english = new Intl.DisplayNames('en', { type })
  return (code) => {
    const name = own.of(code) ?? code
    return { value: code, label: `${name} (${code})`, words: folded(`${name} ${english.of(code)} ${code}`) }
  }
}

function zoneChoice(zone: string): Choice {
  const now = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts()
  const offset = now.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const name = zone.replaceAll('_', ' ')
  return { value: zone, label: `${name} (${offset})`, words: folded(`${name} ${zone} ${offset}`) }
}

/** Choices in which each typed word begins a word. The choice whose code was typed is first, then those whose name begins so. */
function matching(choices: readonly Choice[], search: string): Choice[] {
  const wanted = folded(search)
  // When the field opens, it holds the text of the chosen one: show all choices.
  if (wanted === '' || choices.some(({ label }) => folded(label) === wanted)) return [...choices]
  const terms = wanted.split(' ')
  const rank = ({ value, words }: Choice) => (folded(value) === wanted ? 0 : words.startsWith(wanted) ? 1 : 2)
  return choices
    .filter(({ words }) => terms.every((term) => ` ${words}`.includes(` ${term}`)))
    .sort((a, b) => rank(a) - rank(b))
}

const folded = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+:]+/gu, ' ')
    .trim()
