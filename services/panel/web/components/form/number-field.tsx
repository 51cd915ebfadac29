import { TextInput, type TextInputProps } from '@mantine/core'
import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { t } from '../../messages/fields.ts'
import { formatOf, type NumberReading, type NumberStyle, readNumber, writeNumber } from './read-number.ts'

/** '' while the field is empty; NaN while its text is refused, so that no older value is used instead. */
export type NumberValue = number | ''

export interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'min' | 'max'> {
  value?: NumberValue | null
  onChange?: (value: NumberValue) => void
  min?: number
  max?: number
  /** Default: whole numbers. */
  decimalsMax?: number
  /** Shown in the field: 'hours'. */
  unit?: string | undefined
  /** Default: a number without a unit of its own. */
  numberStyle?: Omit<NumberStyle, 'locale'>
}

interface Typed {
  /** The text in the field. */
  text: string
  /** The text as the user typed it. */
  raw: string
  value: NumberValue
}

/**
 * A field for a number, in the locale of the browser. When the number it has understood is written differently from what was typed,
 * it shows the number below. It refuses a text that can be read in two ways: then the value is NaN, and a form is invalid.
 */
export function NumberField(props: NumberFieldProps) {
  const { value, onChange, min = 0, max, decimalsMax = 0, unit, numberStyle = {}, error, ...rest } = props
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<Typed | null>(null)
  const [isFocused, setFocused] = useState(false)
  const [wasSubmitted, setSubmitted] = useState(false)

  const current = value ?? ''
  const isOwn = typed !== null && Object.is(typed.value, current)
  const text = isOwn ? typed.text : written(current, numberStyle, decimalsMax)
  const rules = { ...numberStyle, decimalsMax, isNegativeAllowed: min < 0 }
  const read = (each: string) => {
    const reading = readNumber(each, rules)
    return { reading, problem: problemOf(reading, { numberStyle, decimalsMax, min, max }) }
  }
  const { reading, problem } =
    text === '' && Number.isNaN(current)
      ? { reading: null, problem: problemOf({ kind: 'unreadable' }, { numberStyle, decimalsMax, min, max }) }
      : read(text)

  useEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem])

  const format = (each: number) => formatOf(numberStyle, { maximumFractionDigits: decimalsMax }).format(each)
  const understood = isOwn && problem === null && reading?.kind === 'number' ? format(reading.value) : null
  const isProblemShown = problem !== null && (!isFocused || wasSubmitted || Boolean(error))

  return (
    <TextInput
      ref={input}
      inputMode={decimalsMax === 0 ? 'numeric' : 'decimal'}
      autoComplete="off"
      maw={220}
      {...(unit !== undefined && {
        rightSection: <span aria-hidden>{unit}</span>,
        rightSectionWidth: `calc(${unit.length}ch + var(--mantine-spacing-md))`,
        rightSectionPointerEvents: 'none' as const,
      })}
      {...rest}
      value={text}
      error={isProblemShown ? problem : problem === null && error}
      success={understood === typed?.raw ? null : understood}
      withSuccessStyles={false}
      successProps={{ c: 'dimmed', 'aria-live': 'polite' }}
      onChange={({ currentTarget: { value: raw } }) => {
        const next = read(raw)
        const nextValue = next.problem !== null ? Number.NaN : next.reading.kind === 'number' ? next.reading.value : ''
        setTyped({ text: raw, raw, value: nextValue })
        setSubmitted(false)
        onChange?.(nextValue)
      }}
      onFocus={(event) => {
        setFocused(true)
        rest.onFocus?.(event)
      }}
      onBlur={(event: FocusEvent<HTMLInputElement>) => {
        setFocused(false)
        if (isOwn && problem === null) setTyped({ ...typed, text: written(current, numberStyle, decimalsMax) })
        rest.onBlur?.(event)
      }}
      onInvalid={(event) => {
        setSubmitted(true)
        rest.onInvalid?.(event)
      }}
    />
  )
}

const written = (value: NumberValue, style: NumberStyle, decimalsMax: number) =>
  value === '' || Number.isNaN(value) ? '' : writeNumber(value, style, decimalsMax)

interface Limits {
  numberStyle: NumberStyle
  decimalsMax: number
  min: number
  max: number | undefined
}

const EXAMPLE = 1_234.5
const WHOLE_EXAMPLE = 1_234

/** Why the field refuses its text, in words; null when it does not. */
function problemOf(reading: NumberReading, { numberStyle, decimalsMax, min, max }: Limits): string | null {
  const write = (value: number, options: Intl.NumberFormatOptions = {}) =>
    new Intl.NumberFormat(undefined, { maximumFractionDigits: 6, ...options }).format(value)
  const limit = (value: number) => formatOf(numberStyle, { maximumFractionDigits: decimalsMax }).format(value)
  switch (reading.kind) {
    case 'empty':
      return null
    case 'number':
      if (reading.value < min) return t('tooSmall', { min: limit(min) })
      return max !== undefined && reading.value > max ? t('tooLarge', { max: limit(max) }) : null
    case 'ambiguous': {
      const [first, second] = reading.readings
      const plain = (value: number) =>
        write(value, { useGrouping: false, minimumFractionDigits: Number.isInteger(value) ? 0 : 2 })
      return t('ambiguousNumber', {
        ...{ first: write(first), second: write(second) },
        ...{ writeFirst: plain(first), writeSecond: plain(second) },
      })
    }
    case 'otherCurrency':
      return t('otherCurrency', { currency: numberStyle.currency ?? '' })
    case 'tooManyDecimals':
      return t('tooManyDecimals', { count: decimalsMax })
    case 'negative':
      return t('notNegative')
    case 'tooLong':
      return t('tooLong')
    case 'unreadable': {
      const example = decimalsMax === 0 ? WHOLE_EXAMPLE : EXAMPLE
      return t('notANumber', { example: writeNumber(example, numberStyle, decimalsMax) })
    }
  }
}
