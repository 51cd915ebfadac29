import { area, box, disc, INK, line, oval, type Paint, STEEL, shadow, shine, times } from './shapes.ts'

export function shoe(p: Paint): string {
  return [
    shadow(204, 306, 156),
    area(
      'M56 176 q4 -40 30 -44 q14 24 46 20 q18 -4 30 -22 q40 30 84 58 q34 18 70 26 q42 10 40 46 q0 16 -20 16 H80 q-26 0 -28 -26 z',
      p.round,
    ),
    area('M56 176 q4 -40 30 -44 q14 24 46 20 l-8 92 q-40 10 -70 6 z', p.dark),
    area('M258 204 q50 20 72 26 q26 8 26 38 h-74 q-30 -20 -24 -64 z', p.light, 'opacity=".8"'),
    area('M48 262 h308 q6 30 -26 34 H84 q-34 0 -36 -34 z', '#f8f4ec'),
    line('M52 292 q20 12 40 12 h228 q22 0 32 -14', INK, 9),
    times(6, (i) => line(`M${74 + i * 46} 268 l14 20`, p.base, 4, 'opacity=".5"')),
    times(4, (i) => line(`M${166 + i * 24} ${150 + i * 15} l-26 26`, '#fff', 7)),
    line('M114 256 Q176 236 196 190', p.deep, 9) + line('M150 256 Q206 238 226 206', p.deep, 9),
    line('M88 134 q8 16 30 20', p.light, 6),
  ].join('')
}

export function yogaMat(p: Paint): string {
  const spiral = times(5, (i) => disc(112, 236, 62 - i * 12, i % 2 ? p.light : p.dark))
  return [
    shadow(210, 320, 152),
    area('M112 286 L320 306 q46 4 50 -14 L330 296 L122 262 z', p.dark),
    area('M112 174 L292 154 q62 4 64 66 q0 56 -54 66 L112 298 z', p.round),
    spiral,
    disc(112, 236, 6, p.deep),
    line('M196 166 q22 60 0 124 M250 160 q26 62 2 130', '#f4ede0', 13),
    line('M196 166 q22 60 0 124 M250 160 q26 62 2 130', p.deep, 2, 'opacity=".3"'),
    area('M226 290 q74 12 138 0 q12 14 -10 20 q-70 10 -128 -4 z', p.base),
  ].join('')
}

export function dumbbells(p: Paint): string {
  const hexagon = (x: number, y: number) => area(`M${x} ${y - 44} l36 20 v48 l-36 20 l-36 -20 v-48 z`, p.round)
  const one = (x: number, y: number, turn: number) =>
    `<g transform="rotate(${turn} ${x} ${y})">${box(x - 70, y - 13, 140, 26, 11, STEEL)}${times(9, (i) => line(`M${x - 40 + i * 10} ${y - 11} v22`, '#7f868f', 2))}${hexagon(x - 86, y)}${hexagon(x + 86, y)}${shine(`M${x - 108} ${y - 22} l18 -10 v62 l-18 -6 z`, 0.25)}${shine(`M${x + 64} ${y - 22} l18 -10 v62 l-18 -6 z`, 0.25)}</g>`
  return [shadow(200, 322, 150), one(208, 160, -14), shadow(196, 302, 128), one(196, 258, 5)].join('')
}

export function helmet(p: Paint): string {
  return [
    shadow(200, 326, 132),
    line('M112 254 q20 66 84 74 M286 258 q-20 60 -90 70', INK, 8),
    box(182, 316, 32, 18, 6, INK),
    area('M56 250 q0 -168 152 -172 q142 2 142 162 q-10 22 -42 22 H92 q-30 2 -36 -12 z', p.round),
    area('M120 218 q20 -100 84 -118 q-34 52 -36 122 z', INK, 'opacity=".75"'),
    area('M196 222 q-4 -80 22 -122 q32 44 26 122 z', INK, 'opacity=".75"'),
    area('M270 220 q6 -62 -22 -112 q56 30 66 110 z', INK, 'opacity=".75"'),
    area('M56 250 q150 -22 294 -10 l-2 16 q-150 -12 -286 10 z', p.dark),
    line('M78 196 q24 -82 92 -104', '#fff', 8, 'opacity=".4"'),
    oval(338, 250, 18, 7, p.deep),
  ].join('')
}

export function kite(p: Paint): string {
  return [
    oval(96, 92, 54, 18, '#fff', 'opacity=".7"') + oval(310, 300, 62, 18, '#fff', 'opacity=".7"'),
    area('M214 44 L312 150 L214 150 z', p.light),
    area('M214 44 L116 150 L214 150 z', p.base),
    area('M116 150 L214 286 V150 z', p.dark),
    area('M312 150 L214 286 V150 z', p.base),
    area('M214 44 L312 150 L214 286 L116 150 z', p.round, 'opacity=".35"'),
    line('M214 44 V286 M116 150 H312', '#f7efe0', 3),
    line('M214 286 q-46 30 -10 56 q34 22 -22 48', INK, 3),
    times(3, (i) => {
      const [x, y] = [
        [192, 312],
        [210, 340],
        [196, 374],
      ][i] as [number, number]
      return (
        area(`M${x} ${y} l-20 -11 v22 z M${x} ${y} l20 -11 v22 z`, i % 2 ? p.light : p.base) + disc(x, y, 4, p.deep)
      )
    }),
  ].join('')
}
