import { area, box, disc, GLASS, INK, line, oval, type Paint, STEEL, shadow, shine, times, WOOD } from './shapes.ts'

export function backpack(p: Paint): string {
  return [
    shadow(200, 346, 112),
    line('M168 66 q32 -34 64 0', p.deep, 10),
    line('M112 150 q-34 60 -8 150 M288 150 q34 60 8 150', p.deep, 13),
    area('M120 130 q4 -76 80 -76 q76 0 80 76 l12 172 q2 40 -38 40 h-108 q-40 0 -38 -40 z', p.round),
    area('M114 158 q86 38 172 0 l-4 -34 q-12 -62 -82 -62 q-70 0 -82 62 z', p.dark),
    line('M164 168 v40 M236 168 v40', WOOD, 10),
    box(158, 200, 12, 20, 4, STEEL) + box(230, 200, 12, 20, 4, STEEL),
    area('M136 232 h128 l6 70 q0 18 -20 18 h-100 q-20 0 -20 -18 z', p.base),
    line('M136 234 h128', p.deep, 6) + box(194, 230, 12, 24, 5, STEEL),
    shine('M134 128 q6 -46 36 -58 q-20 28 -22 70 z', 0.3),
  ].join('')
}

export function tent(p: Paint): string {
  return [
    oval(200, 352, 178, 34, '#8fa07a', 'opacity=".6"'),
    shadow(204, 330, 160),
    line('M200 84 L44 330 M200 84 L366 330', '#d8cbb2', 3),
    area('M200 92 L62 328 H206 z', p.fall),
    area('M200 92 L348 320 L206 328 z', p.dark),
    area('M200 130 Q150 240 124 328 H214 Q196 230 200 130 z', p.deep),
    area('M200 130 Q152 236 124 328 H146 Q176 230 200 130 z', p.light),
    line('M200 92 L206 328', p.light, 4),
    line('M62 328 l-26 14 M348 320 l30 14', '#6d5f4b', 4),
    disc(300, 92, 25, '#fff3cf', 'opacity=".8"'),
  ].join('')
}

export function bottle(p: Paint): string {
  return [
    shadow(200, 348, 64),
    line('M180 58 q20 -30 40 0', INK, 9),
    box(166, 56, 68, 50, 12, INK),
    times(6, (i) => line(`M${174 + i * 10.5} 64 v34`, '#4b4e57', 2)),
    box(172, 104, 56, 18, 4, STEEL),
    area('M172 120 h56 q26 18 26 52 v150 q0 24 -24 24 h-60 q-24 0 -24 -24 v-150 q0 -34 26 -52 z', p.round),
    line('M148 300 h104', p.deep, 3, 'opacity=".4"'),
    area('M186 218 l14 -26 l14 26 z M180 226 h40 l-6 9 h-28 z', p.light, 'opacity=".9"'),
    shine('M160 166 q2 -14 10 -22 v186 q-10 -4 -10 -20 z', 0.36),
  ].join('')
}

export function lantern(p: Paint): string {
  return [
    disc(200, 206, 130, '#ffdf94', 'opacity=".4" filter="url(#glow)"'),
    shadow(200, 342, 88),
    line('M134 150 C110 30 290 30 266 150', STEEL, 6),
    area('M150 128 q50 -46 100 0 z', p.dark) + box(176, 84, 48, 26, 8, p.round),
    box(136, 124, 128, 24, 10, p.round),
    area('M150 148 h100 q16 60 0 130 h-100 q-16 -70 0 -130 z', GLASS, 'opacity=".75"'),
    area('M200 178 q30 42 14 66 q-14 18 -28 0 q-16 -24 14 -66 z', '#ffb84d') +
      area('M200 206 q14 22 6 36 q-6 8 -12 0 q-8 -14 6 -36 z', '#fff3cf'),
    line('M146 150 v128 M254 150 v128', STEEL, 4),
    box(132, 274, 136, 56, 14, p.round) + box(124, 322, 152, 18, 9, p.dark),
    disc(200, 302, 11, STEEL),
    shine('M162 160 q-10 54 0 106 h9 q-9 -54 0 -106 z', 0.5),
  ].join('')
}
