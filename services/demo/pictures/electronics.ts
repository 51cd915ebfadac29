import { area, box, disc, GLASS, INK, line, oval, type Paint, STEEL, shadow, shine, times, WOOD } from './shapes.ts'

export function headphones(p: Paint): string {
  const cup = (x: number) =>
    box(x, 186, 62, 116, 30, p.dark) + box(x + 6, 192, 50, 104, 25, p.round) + disc(x + 31, 244, 15, p.deep)
  return [
    shadow(200, 334, 120),
    line('M108 214 C96 36 304 36 292 214', p.deep, 26),
    line('M108 214 C96 36 304 36 292 214', p.base, 16),
    line('M140 108 C168 74 232 74 260 108', p.light, 9),
    line('M108 172 v34 M292 172 v34', STEEL, 10),
    box(128, 192, 34, 104, 16, INK) + box(238, 192, 34, 104, 16, INK),
    cup(76) + cup(262),
    shine('M90 214 q4 -14 12 -16 v86 q-10 -4 -12 -16 z', 0.4),
  ].join('')
}

export function earbuds(p: Paint): string {
  const bud = (x: number, y: number, turn: number) =>
    `<g transform="translate(${x} ${y}) rotate(${turn})">${box(-9, 0, 18, 70, 9, p.round)}${disc(0, 0, 25, p.round)}${oval(-18, -5, 12, 16, INK)}${oval(-25, -6, 6, 10, '#4b4e57')}${disc(6, -6, 7, p.light, 'opacity=".8"')}</g>`
  return [
    shadow(200, 338, 120),
    bud(150, 98, 10),
    bud(250, 92, -14),
    area('M98 236 q0 -36 40 -36 h124 q40 0 40 36 v10 h-204 z', p.light),
    box(92, 228, 216, 106, 44, p.round),
    line('M96 252 H304', p.deep, 3, 'opacity=".55"'),
    disc(200, 288, 5, '#8de0a6'),
    shine('M112 262 q-4 34 18 54 q-30 -10 -28 -54 z', 0.35),
  ].join('')
}

export function speaker(p: Paint): string {
  return [
    shadow(200, 338, 108),
    box(108, 74, 184, 258, 30, WOOD),
    box(118, 84, 164, 238, 24, p.fall),
    times(13, (row) => times(9, (i) => disc(134 + i * 16.5, 100 + row * 17, 2.4, p.deep, 'opacity=".5"'))),
    disc(200, 248, 58, p.deep) + disc(200, 248, 48, p.base) + disc(200, 248, 24, p.dark) + disc(200, 248, 12, p.deep),
    disc(200, 142, 33, p.deep) + disc(200, 142, 25, p.base) + disc(200, 142, 9, p.deep),
    line('M172 218 a42 42 0 0 1 30 -10', '#fff', 4, 'opacity=".35"'),
  ].join('')
}

export function camera(p: Paint): string {
  return [
    shadow(200, 320, 142),
    line('M76 150 Q40 60 120 52 M324 150 Q360 60 280 52', '#8a5a3a', 9),
    area('M152 104 l18 -34 h60 l18 34 z', p.dark),
    box(66, 104, 268, 200, 26, p.round),
    box(66, 148, 268, 108, 0, INK),
    times(12, (i) => line(`M${76 + i * 22} 152 v100`, '#3b3f48', 3, 'opacity=".7"')),
    box(90, 84, 46, 24, 8, STEEL) + disc(290, 98, 17, STEEL),
    disc(200, 204, 84, '#1d2026') + disc(200, 204, 74, STEEL) + disc(200, 204, 62, '#15171c'),
    disc(200, 204, 46, GLASS) + disc(200, 204, 22, '#0c1524') + disc(180, 184, 12, '#fff', 'opacity=".65"'),
    disc(222, 226, 6, '#fff', 'opacity=".35"'),
    box(268, 118, 44, 22, 6, '#f7e9bd'),
  ].join('')
}

export function watch(p: Paint): string {
  return [
    shadow(200, 356, 74),
    area('M160 128 l10 -92 q2 -12 14 -12 h32 q12 0 14 12 l10 92 z', p.round),
    area('M160 272 l10 76 q2 12 14 12 h32 q12 0 14 -12 l10 -76 z', p.round),
    times(3, (i) => oval(200, 316 + i * 14, 6, 3.5, p.deep)),
    box(124, 114, 152, 172, 44, STEEL),
    box(276, 172, 12, 40, 6, STEEL),
    box(134, 124, 132, 152, 36, '#12151c'),
    line('M200 166 a34 34 0 1 1 -33 26', '#8de0a6', 10) + line('M200 146 a54 54 0 0 1 52 40', '#f2b65b', 8),
    line('M200 200 L200 176 M200 200 L218 210', '#fff', 5),
    box(168, 246, 64, 8, 4, p.light),
    shine('M146 150 q2 -16 18 -18 v130 q-16 -4 -18 -18 z', 0.12),
  ].join('')
}
