import { area, BRASS, box, disc, INK, line, oval, type Paint, STEEL, shadow, shine, times, WOOD } from './shapes.ts'

export function espressoMachine(p: Paint): string {
  return [
    shadow(200, 335, 135),
    box(90, 118, 220, 40, 14, p.round),
    box(104, 70, 120, 52, 12, p.dark),
    times(2, (i) => box(116 + i * 52, 52, 42, 26, 8, '#f6f1e8') + oval(137 + i * 52, 52, 21, 5, '#e2d8c8')),
    box(100, 150, 200, 170, 16, p.round),
    box(118, 176, 164, 108, 10, p.deep),
    box(168, 150, 64, 40, 8, STEEL),
    box(178, 188, 44, 16, 6, INK),
    line('M222 196 L286 204', INK, 12),
    area('M176 244 h48 l-6 36 h-36 z', '#f6f1e8'),
    line('M224 250 q18 2 10 18 q-4 6 -12 6', '#f6f1e8', 6),
    area('M194 204 h4 v38 h-4 z M203 204 h4 v38 h-4 z', '#6b4226'),
    box(92, 288, 216, 34, 10, STEEL),
    times(9, (i) => box(112 + i * 20, 294, 12, 6, 3, INK, 'opacity=".45"')),
    disc(130, 138, 9, BRASS),
    disc(270, 138, 13, '#f6f1e8'),
    line('M270 138 l6 -7', INK, 3),
    line('M306 170 q22 10 16 60', STEEL, 8),
    shine('M104 156 h12 v158 h-12 z'),
  ].join('')
}

export function grinder(p: Paint): string {
  return [
    shadow(200, 336, 92),
    area('M140 70 h120 l-22 76 h-76 z', '#ded9d2', 'opacity=".75"'),
    area('M152 104 h96 l-12 42 h-72 z', '#6b4226'),
    times(7, (i) => oval(162 + i * 13, 106 + (i % 2) * 6, 8, 5, '#4a2c17')),
    box(132, 58, 136, 18, 9, p.dark),
    box(156, 144, 88, 26, 8, STEEL),
    box(148, 168, 104, 98, 14, p.round),
    disc(200, 214, 24, p.deep) + disc(200, 214, 17, STEEL) + line('M200 214 l8 -10', INK, 4),
    area('M176 264 h48 v14 h-48 z', INK),
    box(160, 276, 80, 50, 8, '#f2ece2', 'opacity=".85"'),
    box(166, 296, 68, 28, 6, '#6b4226', 'opacity=".85"'),
    box(136, 322, 128, 14, 7, p.dark),
    shine('M158 174 h9 v86 h-9 z'),
  ].join('')
}

export function kettle(p: Paint): string {
  return [
    shadow(200, 336, 118),
    line('M262 214 q56 4 44 -52 q-10 -34 36 -44', p.dark, 17),
    line('M262 214 q56 4 44 -52 q-10 -34 36 -44', p.base, 10),
    line('M132 176 q-66 0 -56 66 q6 44 48 52', INK, 15),
    area('M138 160 h124 q18 60 26 150 q2 22 -22 22 h-132 q-24 0 -22 -22 q8 -90 26 -150 z', p.round),
    oval(200, 160, 64, 15, p.dark),
    oval(200, 155, 56, 12, p.light),
    disc(200, 138, 13, WOOD),
    box(118, 318, 164, 16, 8, INK),
    shine('M150 176 q-14 62 -16 128 h14 q2 -70 14 -128 z'),
  ].join('')
}

export function pan(p: Paint): string {
  return [
    shadow(180, 318, 140),
    line('M286 218 L372 150', INK, 22) + line('M300 207 L366 155', WOOD, 12),
    oval(172, 258, 140, 62, p.deep),
    oval(172, 246, 140, 60, p.round),
    oval(172, 244, 122, 49, INK),
    oval(172, 248, 112, 42, '#3a3d45'),
    oval(156, 246, 42, 24, '#fdf8ee') + oval(150, 243, 17, 11, '#f3b33c') + oval(146, 240, 5, 3, '#fbdb8d'),
    area('M206 250 q14 -14 26 -2 q4 12 -12 14 q-14 0 -14 -12 z', '#6f9a5c'),
    line('M66 236 q20 -34 92 -42', '#fff', 4, 'opacity=".35"'),
  ].join('')
}

export function mugs(p: Paint): string {
  const mug = (x: number, y: number, body: string, inside: string) =>
    [
      line(`M${x + 96} ${y + 28} q40 2 32 40 q-6 26 -40 26`, body, 14),
      area(`M${x} ${y} h104 v92 q0 30 -30 30 h-44 q-30 0 -30 -30 z`, p.round),
      oval(x + 52, y, 52, 13, p.light),
      oval(x + 52, y + 2, 44, 9, inside),
      times(9, (i) => disc(x + 14 + ((i * 37) % 80), y + 28 + ((i * 23) % 76), 1.8, p.deep, 'opacity=".5"')),
      shine(`M${x + 12} ${y + 16} h10 v84 h-10 z`, 0.28),
    ].join('')
  return [
    shadow(196, 334, 140),
    mug(212, 128, p.dark, p.deep),
    mug(74, 118, p.dark, p.deep),
    mug(136, 208, p.base, '#5b3a22'),
    line('M174 190 q-10 -18 2 -32 q10 -14 0 -30 M204 190 q-10 -18 2 -32', '#fff', 5, 'opacity=".5"'),
  ].join('')
}
