import { afterEach, beforeEach, expect, it } from 'vitest'
import { createWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

it('shows what carries the value exactly, however much carries another spelling of it and sells better', async () => {
  const campaign = world.campaign()
  for (let i = 0; i < 60; i++) world.offer([campaign], { id: `other-${i}`, color: 'red' }, { popularity: 100 })
  world.offer([campaign], { id: 'wanted', color: 'Red' }, { popularity: 1 })
  world.offer([campaign], { id: 'accented', color: 'Réd' }, { popularity: 50 })
  const attributes = [{ name: 'color', value: 'Red' }]
  expect(await world.ids('BESTSELLERS', { attributes })).toEqual(['wanted'])
})

it('takes any of several values of a name, and every name', async () => {
  const campaign = world.campaign()
  const plug = (attributeValue: string) => [{ sectionName: null, attributeName: 'Plug', attributeValue }]
  world.offer([campaign], { id: 'a', color: 'Red', productDetails: plug('F') }, { popularity: 3 })
  world.offer([campaign], { id: 'b', color: 'Blue', productDetails: plug('F') }, { popularity: 2 })
  world.offer([campaign], { id: 'c', color: 'Red', productDetails: plug('f') }, { popularity: 1 })
  const colors = [
    { name: 'color', value: 'Red' },
    { name: 'color', value: 'Blue' },
  ]
  const ids = (attributes: object[]) => world.ids('BESTSELLERS', { attributes })
  expect(await ids(colors)).toEqual(['a', 'b', 'c'])
  expect(await ids([...colors, { name: 'Plug', value: 'F' }])).toEqual(['a', 'b'])
  expect(await ids([{ name: 'plug', value: 'F' }])).toEqual([])
})
