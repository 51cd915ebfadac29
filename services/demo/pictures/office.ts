import { area, box, disc, INK, line, oval, type Paint, STEEL, shadow, shine, times } from './shapes.ts'

export function officeChair(p: Paint): string {
  return [
    shadow(200, 360, 112),
    line('M200 290 V330 M200 330 L112 350 M200 330 L288 350 M200 330 L166 358 M200 330 L234 358', STEEL, 11),
    times(4, (i) => disc([112, 288, 166, 234][i]!, [354, 354, 361, 361][i]!, 8, INK)),
    area('M142 46 q58 -18 116 0 q14 4 13 20 l-10 142 q-60 14 -122 0 l-10 -142 q-1 -16 13 -20 z', p.round),
    times(7, (i) => line(`M150 ${74 + i * 20} q50 9 100 0`, p.deep, 2, 'opacity=".35"')),
    line('M200 204 v32', INK, 18),
    line('M116 262 V196 H142 M284 262 V196 H258', INK, 10),
    box(96, 186, 50, 14, 7, INK) + box(254, 186, 50, 14, 7, INK),
    area('M108 238 q92 -20 184 0 q14 6 12 26 q-2 22 -24 26 q-80 12 -160 0 q-22 -4 -24 -26 q-2 -20 12 -26 z', p.fall),
    shine('M150 58 q-4 60 4 140 l12 2 q-8 -80 -2 -146 z', 0.25),
  ].join('')
}

export function notebook(p: Paint): string {
  return [
    '<g transform="rotate(-7 200 200)">',
    shadow(206, 346, 122),
    box(104, 62, 208, 276, 10, '#fbf6ec') + times(3, (i) => line(`M312 ${80 + i * 3} v250`, '#dccfb8', 1)),
    box(96, 56, 206, 276, 12, p.round),
    box(96, 56, 30, 276, 12, p.dark, 'opacity=".55"'),
    box(268, 56, 12, 276, 0, p.deep),
    box(152, 116, 92, 62, 6, '#fbf6ec', 'opacity=".92"'),
    line('M166 138 h64 M166 156 h40', p.dark, 5),
    line('M190 332 v34', p.light, 7),
    '</g>',
    '<g transform="rotate(32 320 260)">',
    box(312, 150, 15, 150, 6, '#e6b655') +
      area('M312 300 h15 l-7.5 26 z', '#f3dcb4') +
      area('M316.5 315 h6 l-3 11 z', INK),
    box(312, 138, 15, 18, 5, '#d98880') +
      box(312, 154, 15, 7, 0, STEEL) +
      oval(319, 190, 2, 30, '#fff', 'opacity=".4"'),
    '</g>',
  ].join('')
}

export function keyboard(p: Paint): string {
  const key = (x: number, y: number, width: number, fill: string) =>
    box(x, y + 4, width, 26, 6, p.deep) + box(x, y, width, 26, 6, fill)
  const row = (y: number, shift: number, count: number) =>
    times(count, (i) => key(64 + shift + i * 28, y, 24, (i + y) % 9 === 0 ? p.light : '#f4f1ec'))
  return [
    '<g transform="rotate(-8 200 210)">',
    shadow(200, 306, 170),
    box(40, 132, 320, 158, 20, p.dark),
    box(40, 124, 320, 158, 20, p.round),
    row(142, -6, 10) + row(176, 4, 10) + row(210, -2, 10),
    key(62, 244, 40, p.light) +
      key(108, 244, 150, '#f4f1ec') +
      key(264, 244, 34, '#f4f1ec') +
      key(304, 244, 34, p.light),
    '</g>',
  ].join('')
}

export function monitor(p: Paint): string {
  return [
    shadow(200, 342, 96),
    area('M176 268 h48 l10 62 h-68 z', p.round),
    box(132, 326, 136, 14, 7, p.dark),
    box(38, 70, 324, 208, 16, p.dark),
    box(46, 78, 308, 184, 10, '#1b2333'),
    area('M46 220 Q120 130 196 190 T354 128 V252 q0 10 -10 10 H56 q-10 0 -10 -10 z', '#3f6d8c'),
    area('M46 244 Q150 170 232 222 T354 190 V252 q0 10 -10 10 H56 q-10 0 -10 -10 z', '#2b4a66'),
    disc(278, 124, 21, '#f6d58a'),
    shine('M60 84 h92 l-70 172 h-24 z', 0.07),
  ].join('')
}
