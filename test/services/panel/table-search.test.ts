import { expect, it } from 'vitest'
import { searched } from '../../../services/panel/web/components/page/table/search.ts'

const search = (names: readonly string[], typed: string) => searched(names, { textOf: (name) => name }, typed)

it('lists whole words first, then beginnings of words, then the rest, each in their order', () => {
  const names = ['Outdoor lamping', 'Streetlamp', 'Lamps for desks', 'A lamp', 'Desk', 'Lamp, red']
  expect(search(names, 'lamp')).toEqual(['A lamp', 'Lamp, red', 'Outdoor lamping', 'Lamps for desks', 'Streetlamp'])
})

it('ranks a row by the word that it holds worst, and leaves out rows that lack one', () => {
  expect(search(['red lamps', 'red lamp', 'green lamp'], 'lamp red')).toEqual(['red lamp', 'red lamps'])
})

it('finds a whole word behind a place where it stands inside another', () => {
  expect(search(['xlamp', 'xlamp lamp'], 'lamp')).toEqual(['xlamp lamp', 'xlamp'])
})

it.each([
  ['Łóżko', 'lozko'],
  ['Große Pfütze', 'grosse pfutze'],
  ['Crème brûlée', 'creme brulee'],
  ['creme', 'Crème'],
  ['İstanbul', 'istanbul'],
  ['مصباح', 'مصباح'],
  ['01a2041c-d6c2', 'd6c2'],
])('finds %s by %s, whatever the case and the marks', (name, typed) => {
  expect(search([name], typed)).toEqual([name])
})

it('leaves the rows as they are while nothing is typed', () => {
  const names = ['b', 'a']
  expect(search(names, '  ')).toBe(names)
})

it('finds a row by the beginning of its id, and by no part of it that other ids may have by chance', () => {
  const rows = [
    { name: 'Campaign 7', id: '01a2041c-d6c2-4da5-9d41-1099aa427b52' },
    { name: 'Campaign 1099', id: '77777777-0000-4000-8000-000000000000' },
  ]
  const found = (typed: string) =>
    searched(rows, { textOf: ({ name }) => name, idOf: ({ id }) => id }, typed).map(({ name }) => name)
  expect(found('Campaign 1099')).toEqual(['Campaign 1099'])
  expect(found('7')).toEqual(['Campaign 7'])
  expect(found('01a2041')).toEqual([])
  expect(found('01A2041C')).toEqual(['Campaign 7'])
  expect(found(rows[0]!.id)).toEqual(['Campaign 7'])
})
