import { area, BRASS, box, disc, INK, line, oval, type Paint, shadow, shine, times, WOOD } from './shapes.ts'

export function lamp(p: Paint): string {
  return [
    disc(200, 180, 150, '#ffe9b0', 'opacity=".35" filter="url(#glow)"'),
    shadow(200, 334, 92),
    box(194, 196, 12, 112, 6, BRASS),
    oval(200, 258, 34, 40, WOOD),
    oval(200, 322, 66, 14, '#8d6a3f'),
    oval(200, 316, 66, 14, WOOD),
    area('M150 76 h100 l42 124 q-92 22 -184 0 z', p.round),
    area('M108 200 q92 22 184 0 q-92 14 -184 0 z', '#fff3cf'),
    oval(200, 76, 50, 9, p.light),
    times(7, (i) => line(`M${158 + i * 14} 80 L${122 + i * 26} 202`, p.dark, 1.4, 'opacity=".35"')),
    line('M232 206 v44', BRASS, 2.5) + disc(232, 254, 5, BRASS),
  ].join('')
}

export function pendant(p: Paint): string {
  return [
    line('M200 0 V120', INK, 4),
    area('M130 268 L56 400 H344 L270 268 z', '#ffe9b0', 'opacity=".4"'),
    box(184, 108, 32, 40, 8, BRASS),
    area('M200 140 q106 6 120 126 q-120 26 -240 0 q14 -120 120 -126 z', p.round),
    oval(200, 268, 120, 20, p.deep),
    oval(200, 270, 108, 15, '#fff0c4'),
    disc(200, 278, 24, '#fffaf0'),
    shine('M120 234 q12 -62 58 -80 q-34 34 -38 84 z', 0.3),
  ].join('')
}

export function blanket(p: Paint): string {
  const fold = (y: number, fill: string) =>
    area(`M84 ${y} q0 -32 34 -32 h170 q32 0 32 32 v14 q0 22 -26 22 h-184 q-26 0 -26 -24 z`, fill)
  return [
    shadow(200, 336, 140),
    fold(292, p.dark),
    fold(246, p.base),
    fold(200, p.dark),
    fold(154, p.round),
    times(4, (i) => line(`M100 ${178 + i * 46} q100 12 206 -2`, p.deep, 2, 'opacity=".4"')),
    area('M210 124 h78 q32 0 32 32 v120 q-40 10 -90 4 z', p.light),
    times(8, (i) => line(`M${214 + i * 13} 128 L${230 + i * 11} 278`, p.dark, 1.6, 'opacity=".4"')),
    times(9, (i) => line(`M216 ${140 + i * 15} H318`, p.dark, 1.6, 'opacity=".35"')),
    times(11, (i) => line(`M${234 + i * 8} 280 v14`, p.light, 3)),
  ].join('')
}

export function cushion(p: Paint): string {
  return [
    shadow(200, 330, 130),
    area('M78 96 Q200 116 322 96 Q302 206 322 316 Q200 298 78 316 Q98 206 78 96 z', p.fall),
    area('M78 96 Q200 116 322 96 Q302 206 322 316 Q200 298 78 316 Q98 206 78 96 z', p.round, 'opacity=".55"'),
    times(5, (i) => line(`M${112 + i * 44} 108 Q${118 + i * 41} 206 ${112 + i * 44} 304`, p.light, 7, 'opacity=".55"')),
    line('M78 96 Q200 116 322 96 Q302 206 322 316 Q200 298 78 316 Q98 206 78 96 z', p.dark, 4),
    line('M110 130 q16 26 12 60', '#fff', 5, 'opacity=".3"'),
    times(4, (i) => disc([80, 320, 320, 80][i]!, [98, 98, 314, 314][i]!, 9, p.dark)),
  ].join('')
}

export function armchair(p: Paint): string {
  return [
    shadow(200, 344, 138),
    line('M128 296 l-16 46 M272 296 l16 46 M168 300 v38 M232 300 v38', '#8d6a3f', 12),
    area('M112 92 q88 -42 176 0 q16 10 14 40 l-8 120 h-188 l-8 -120 q-2 -30 14 -40 z', p.fall),
    area('M132 118 q68 -28 136 0 l-6 116 h-124 z', p.light, 'opacity=".55"'),
    times(3, (i) => disc(166 + i * 34, 160, 4.5, p.deep, 'opacity=".6"')),
    box(104, 222, 192, 56, 26, p.light),
    box(62, 178, 64, 124, 30, p.round),
    box(274, 178, 64, 124, 30, p.round),
    box(96, 262, 208, 44, 16, p.dark),
    shine('M76 196 q10 -10 22 -6 v86 h-22 z', 0.18),
  ].join('')
}

export function vase(p: Paint): string {
  const leaf = (x: number, y: number, turn: number) =>
    oval(0, 0, 9, 22, '#7f9a6c', `transform="translate(${x} ${y}) rotate(${turn})"`)
  return [
    shadow(200, 338, 82),
    line('M200 190 Q180 120 150 62 M204 190 Q220 110 262 74 M200 190 Q204 110 206 44', '#6c8258', 4),
    [leaf(150, 66, -30), leaf(170, 98, 42), leaf(156, 116, -58), leaf(262, 80, 52), leaf(238, 96, 8)].join(''),
    [leaf(232, 130, 66), leaf(206, 52, 4), leaf(218, 84, 44), leaf(192, 90, -42), leaf(190, 136, -50)].join(''),
    area(
      'M172 182 h56 q4 34 34 62 q26 30 6 66 q-12 28 -40 28 h-56 q-28 0 -40 -28 q-20 -36 6 -66 q30 -28 34 -62 z',
      p.round,
    ),
    oval(200, 182, 28, 7, p.deep),
    times(6, (i) => line(`M${150 + i * 20} 256 q${(i - 2.5) * 4} 40 ${(2.5 - i) * 3} 72`, p.dark, 2, 'opacity=".4"')),
    shine('M160 256 q-16 34 0 64 h9 q-14 -34 4 -66 z', 0.32),
  ].join('')
}
