/** A label within a sentence: 'account ID' for 'Account ID'. A first word such as API keeps its letters. */
export const uncapitalised = (label: string): string =>
  /^\p{Lu}[\p{Lu}\d]/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)
