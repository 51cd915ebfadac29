import type { GetICUArgs } from '@schummar/icu-type-parser'
import { IntlMessageFormat } from 'intl-messageformat'
import { createElement, Fragment, type ReactNode } from 'react'

/** The language that the catalogues are written in. */
const LANGUAGE = 'en'

/** The type of a text without arguments in a parsed message. */
const LITERAL = 0

/** Plurals follow the language of the texts; numbers and dates follow the browser's locale. */
const formatters = {
  getPluralRules: (_: unknown, options?: Intl.PluralRulesOptions) => new Intl.PluralRules(LANGUAGE, options),
  getNumberFormat: (_: unknown, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(undefined, options),
  getDateTimeFormat: (_: unknown, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, options),
}

type Arguments<Message extends string> = GetICUArgs<
  Message,
  { ICUArgument: string | number; ICUNumberArgument: number; ICUDateArgument: Date | number }
>
type Tag = (content: ReactNode) => ReactNode

/** `t('waiting', { count: 3 })`; a message without arguments takes none. */
export interface Translate<Messages extends Record<string, string>> {
  <Key extends keyof Messages & string>(
    key: Key,
    ...values: keyof Arguments<Messages[Key]> extends never ? [] : [values: Arguments<Messages[Key]>]
  ): string
  /**
   * A message with tags, such as `<link>Products</link>`. Each tag has a function that turns its content into an element. Values
   * may be elements too.
   */
  rich(key: keyof Messages & string, values: Record<string, ReactNode | Tag>): ReactNode
}

/**
 * The texts of one area of the panel, each under a key, in ICU message format: `{count, plural, one {# product} other {#
 * products}}`. Every text of the panel is in one of these files.
 */
export function catalogue<const Messages extends Record<string, string>>(messages: Messages): Translate<Messages> {
  const parsed = new Map<string, IntlMessageFormat>()
  const formatOf = (key: keyof Messages & string) => {
    let format = parsed.get(key)
    if (!format) {
      format = new IntlMessageFormat(sourceOf(messages[key]!), LANGUAGE, undefined, { formatters })
      parsed.set(key, format)
    }
    return format
  }
  const translate = (key: keyof Messages & string, values?: Record<string, never>) =>
    formatOf(key).format(values) as string
  const rich = (key: keyof Messages & string, values: Record<string, ReactNode | Tag>): ReactNode => {
    const parts = formatOf(key).format<ReactNode>(inFragments(values))
    return Array.isArray(parts) ? createElement(Fragment, null, ...parts) : parts
  }
  return Object.assign(translate, { rich }) as Translate<Messages>
}

type Source = ConstructorParameters<typeof IntlMessageFormat>[0]

/** The build leaves plain texts as they are and parses all others, because the browser has no parser. */
function sourceOf(message: Source): Source {
  const isPlain = typeof message === 'string' && !/[{<']/.test(message)
  return isPlain ? [{ type: LITERAL, value: message }] : message
}

/** Tags receive their content as a list of pieces. Putting them into a fragment makes keys unnecessary. */
function inFragments(
  values: Record<string, ReactNode | Tag>,
): Record<string, ReactNode | ((parts: ReactNode[]) => ReactNode)> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'function' ? (parts: ReactNode[]) => value(createElement(Fragment, null, ...parts)) : value,
    ]),
  )
}
