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

  removeChosen: 'Remove {label}',

  clash:
    '{who, select, NAMED {{name}} OPERATOR {The operator} PUBLISHER {Someone at the shop} ADVERTISER {Someone at the advertiser} other {Someone else}} has changed this, too',
  clashHelp: 'What is chosen is in the form above. Choose for each field, then save again.',
  clashOwn: 'Yours',
  clashOthers: 'Theirs',
  clashValue: '{whose}: {value}',
  andOthers: '{values} and {count, plural, one {# other} other {# others}}',
  nothing: 'empty',
  on: 'on',
  off: 'off',

  ambiguousNumber: 'This can be read as {first} or {second}. Enter {writeFirst} or {writeSecond}.',
  notANumber: 'Enter a number, such as {example}.',
  otherCurrency: 'This amount is in {currency}. Enter it without another currency.',
  tooManyDecimals:
    '{count, plural, =0 {Enter a whole number.} one {Enter at most one decimal.} other {Enter at most # decimals.}}',
  notNegative: 'Must not be negative',
  tooLong: 'The number has too many digits.',
  tooSmall: 'Must be at least {min}',
  tooLarge: 'Must be at most {max}',
})
