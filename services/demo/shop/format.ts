const euros = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })
export const money = (amount: number): string => euros.format(amount)

/** "3 products", "1 product" */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
