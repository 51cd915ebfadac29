import { catalogue } from './catalogue.ts'

/** Texts that forms, fields and values use everywhere. */
export const t = catalogue({
  save: 'Save',
  cancel: 'Cancel',
  copy: 'Copy {label}',
  copied: 'Copied',
  labelCopied: '{label} copied',
  bannerInFormat: 'Banner in the format {format}',
  bannerImage: 'Banner image',
  logo: 'Logo',

  ambiguousNumber: 'This can be read as {first} or {second}. Write {writeFirst} or {writeSecond}.',
  notANumber: 'Write a number, such as {example}.',
  otherCurrency: 'The amount is in {currency}. Write it without another currency.',
  tooManyDecimals:
    '{count, plural, =0 {Write a whole number.} one {Write at most one decimal.} other {Write at most # decimals.}}',
  notNegative: 'Must not be negative.',
  tooLong: 'The number has too many digits.',
  tooSmall: 'Must be at least {min}.',
  tooLarge: 'Must be at most {max}.',
})
