import { area, box, disc, INK, line, oval, type Paint, STEEL, shadow, shine, times, WOOD } from './shapes.ts'

export function wateringCan(p: Paint): string {
  return [
    shadow(204, 336, 132),
    line('M250 300 q70 -60 84 -160', p.dark, 22) + line('M250 300 q70 -60 84 -160', p.base, 13),
    area('M306 146 l52 -32 l14 24 l-54 30 z', p.dark) +
      oval(366, 126, 9, 17, p.light, 'transform="rotate(-32 366 126)"'),
    line('M120 190 C30 90 190 40 214 170', p.dark, 14),
    area('M106 178 h148 l16 136 q2 20 -20 20 h-140 q-22 0 -20 -20 z', p.round),
    oval(180, 178, 74, 16, p.deep) + area('M106 178 q74 -26 100 -12 q-14 20 -46 28 q-40 -4 -54 -16 z', p.light),
    line('M98 262 q84 16 168 0', p.dark, 3, 'opacity=".5"'),
    times(5, (i) => line(`M${374 + (i % 2) * 6} ${150 + i * 16} l-4 9`, '#8fc1dd', 5)),
    shine('M122 198 q-8 60 -10 116 h12 q2 -62 12 -116 z', 0.3),
  ].join('')
}

export function planter(p: Paint): string {
  const leaf = (turn: number, length: number, fill: string) =>
    area(
      `M0 0 Q-${length / 4} -${length / 2} 0 -${length} Q${length / 4} -${length / 2} 0 0 z`,
      fill,
      `transform="translate(200 208) rotate(${turn})"`,
    )
  return [
    shadow(200, 340, 98),
    [leaf(-62, 120, '#5f8458'), leaf(58, 124, '#5f8458'), leaf(-38, 150, '#7aa06c'), leaf(36, 148, '#6f9663')].join(''),
    [leaf(-14, 166, '#88ad78'), leaf(14, 160, '#7aa06c'), leaf(-80, 84, '#6f9663'), leaf(80, 86, '#7aa06c')].join(''),
    box(112, 196, 176, 38, 12, p.round),
    area('M124 232 h152 l-16 84 q-4 18 -22 18 h-76 q-18 0 -22 -18 z', p.round),
    times(8, (i) => line(`M${138 + i * 18} 238 l${(3.5 - i) * 2.4} 90`, p.dark, 2.4, 'opacity=".35"')),
    oval(200, 336, 84, 10, p.dark),
    shine('M136 240 l14 84 h11 l-10 -84 z', 0.25),
  ].join('')
}

export function grill(p: Paint): string {
  return [
    shadow(200, 358, 112),
    line('M146 262 L104 352 M254 262 L296 352 M200 268 V346', STEEL, 9),
    line('M124 318 H276', STEEL, 6) + disc(296, 346, 17, INK) + disc(296, 346, 7, STEEL),
    area('M84 196 h232 q0 84 -116 88 q-116 -4 -116 -88 z', p.round),
    area('M84 188 q6 -108 116 -112 q110 4 116 112 z', p.fall),
    box(76, 182, 248, 16, 8, STEEL),
    line('M172 76 q28 -26 56 0', WOOD, 12) + disc(142, 116, 10, STEEL),
    line('M324 214 h34', WOOD, 11) + line('M76 214 h-34', WOOD, 11),
    line('M160 54 q-10 -16 0 -28 M206 46 q-10 -16 0 -28 M250 56 q-10 -16 0 -28', '#fff', 5, 'opacity=".55"'),
    shine('M108 172 q8 -58 54 -78 q-28 32 -30 78 z', 0.28),
  ].join('')
}

export function plushBear(p: Paint): string {
  return [
    shadow(200, 350, 110),
    disc(126, 86, 34, p.base) + disc(274, 86, 34, p.base) + disc(126, 86, 19, p.light) + disc(274, 86, 19, p.light),
    oval(110, 258, 32, 56, p.round, 'transform="rotate(24 110 258)"') +
      oval(290, 258, 32, 56, p.round, 'transform="rotate(-24 290 258)"'),
    oval(200, 272, 92, 80, p.round) + oval(200, 284, 54, 52, p.light),
    oval(136, 332, 42, 30, p.round) +
      oval(264, 332, 42, 30, p.round) +
      oval(130, 334, 21, 17, p.light) +
      oval(270, 334, 21, 17, p.light),
    oval(200, 134, 96, 82, p.round),
    oval(200, 164, 44, 34, p.light) +
      oval(200, 148, 14, 10, INK) +
      line('M200 158 v12 q-14 12 -22 2 M200 170 q14 12 22 2', INK, 4),
    disc(160, 122, 9, INK) + disc(240, 122, 9, INK) + disc(163, 119, 3, '#fff') + disc(243, 119, 3, '#fff'),
    area('M200 222 l-44 -17 v34 z M200 222 l44 -17 v34 z', '#c65b52') + disc(200, 222, 10, '#a8443c'),
  ].join('')
}

export function train(p: Paint): string {
  const wheel = (x: number, r: number) => disc(x, 302, r, '#8d6a3f') + disc(x, 302, r - 8, WOOD) + disc(x, 302, 5, INK)
  return [
    shadow(200, 334, 150),
    box(46, 268, 308, 22, 8, WOOD),
    box(58, 138, 108, 132, 10, p.round) + box(48, 118, 128, 26, 10, p.dark) + box(82, 162, 60, 50, 8, '#fdf4dc'),
    line('M112 162 v50', WOOD, 5),
    box(160, 190, 156, 80, 34, p.fall) + box(160, 190, 100, 80, 8, p.fall),
    box(196, 190, 12, 80, 0, BAND) + box(252, 190, 12, 80, 0, BAND),
    area('M262 192 v-46 l-12 -22 h50 l-12 22 v46 z', p.dark) + oval(275, 124, 25, 7, p.light),
    oval(220, 186, 19, 12, BAND),
    disc(316, 230, 17, '#fdf4dc') + disc(316, 230, 10, BAND),
    wheel(92, 32) + wheel(172, 26) + wheel(238, 26) + wheel(304, 26),
    line('M92 302 H238', INK, 6),
    oval(296, 86, 22, 14, '#fff', 'opacity=".85"') + oval(334, 62, 30, 18, '#fff', 'opacity=".7"'),
  ].join('')
}
const BAND = '#e0b45a'
