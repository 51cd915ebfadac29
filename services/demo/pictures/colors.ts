import type { Paint } from './shapes.ts'

const HEX: Readonly<Record<string, string>> = {
  oat: '#d9c7a8',
  cream: '#efe3cc',
  'sage green': '#93a98c',
  'forest green': '#3f6b52',
  mint: '#8fd0b9',
  terracotta: '#c8714f',
  rust: '#b85a33',
  'brick red': '#b5483f',
  cinnamon: '#a9714a',
  'dusty rose': '#d3979a',
  ochre: '#d49f3f',
  mustard: '#d9aa37',
  charcoal: '#4a4c50',
  graphite: '#3d4148',
  slate: '#6d7b8a',
  steel: '#b9c0c7',
  silver: '#c9ced4',
  'midnight blue': '#34476b',
}
const UNKNOWN = '#9aa5a0'

/** The colour of a swatch, as #rrggbb. */
export const hexOf = (color: string): string => HEX[color] ?? UNKNOWN

export function paintOf(color: string): Paint {
  const base = hexOf(color)
  return {
    base,
    light: mix(base, '#ffffff', 0.38),
    dark: mix(base, '#1d1a22', 0.28),
    deep: mix(base, '#1d1a22', 0.5),
    round: 'url(#round)',
    fall: 'url(#fall)',
  }
}

/** Mixes a share of the second colour into the first, both #rrggbb. */
export function mix(first: string, second: string, share: number): string {
  const channel = (at: number) => {
    const [a, b] = [first, second].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16)) as [number, number]
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(1)}${channel(3)}${channel(5)}`
}
