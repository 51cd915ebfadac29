/**
 * A GTIN as digits (8, 12, 13 or 14), or null when it is none: wrong length, wrong check digit, or of a range that
 * is no product's (02, 04, 2: in-store numbers; 98, 99: coupons), as Google Merchant Center judges it.
 * Check digit: GS1 General Specifications, section 7.9.
 */
export function readGtin(text: string): string | null {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^(\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return null
  let sum = 0
  for (let i = 0; i < digits.length - 1; i++) {
    const weight = (digits.length - i) % 2 === 0 ? 3 : 1
    sum += Number(digits[i]) * weight
  }
  if ((10 - (sum % 10)) % 10 !== Number(digits.at(-1))) return null
  if (digits.length > 8 && /^(2|02|04|98|99)/.test(digits.padStart(14, '0').slice(1))) return null
  return digits
}
