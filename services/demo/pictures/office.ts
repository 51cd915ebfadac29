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
