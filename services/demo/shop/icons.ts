import { trusted } from './html.ts'

const icon = (d: string) =>
  trusted(
    `<svg viewBox="0 0 24 24" width="22" height="22" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${d}"/></svg>`,
  )

export const icons = {
  search: icon('M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14zM20 20l-4-4'),
  cart: icon('M3 4h2l2.4 11.2a1.5 1.5 0 0 0 1.5 1.2h8.4a1.5 1.5 0 0 0 1.5-1.1L21 8H6M9.5 20.5h.01M17 20.5h.01'),
  person: icon('M12 12a4 4 0 1 0 0-8a4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0'),
  heart: icon('M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.4A4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10z'),
  truck: icon('M3 6h11v10H3zM14 9h4l3 3.5V16h-7zM7.5 18.5h.01M17.5 18.5h.01'),
  back: icon('M4 9h11a5 5 0 0 1 0 10h-3M4 9l4-4M4 9l4 4'),
  shield: icon('M12 3l7.5 3v5c0 5-3.2 8.3-7.5 10c-4.3-1.7-7.5-5-7.5-10V6zM9 12l2.2 2.2L15.5 10'),
  compass: trusted(
    '<svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true"><circle cx="16" cy="16" r="14.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M16 5l4.4 11L16 27l-4.4-11z" fill="currentColor" opacity=".28"/><path d="M16 5l4.4 11h-8.8z" fill="currentColor"/></svg>',
  ),
}
