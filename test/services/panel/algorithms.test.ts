import { expect, it } from 'vitest'
import { DISPLAY_ALGORITHMS, SPONSORED_ALGORITHMS } from '../../../schemas/http/panel/shops/ad-units.ts'
import type { Targeting } from '../../../schemas/http/targeting.ts'
import type { SponsoredAlgorithm } from '../../../schemas/records/entities.ts'
import { whyNotCodes } from '../../../services/domain/campaign/why-not.ts'
import {
  algorithms,
  type ParameterName,
  parameters,
} from '../../../services/panel/web/pages/publisher/ad-units/algorithms.ts'
import { whyNotWords } from '../../../services/panel/web/pages/publisher/products/why-not.ts'
import { algorithms as served } from '../../../services/selection/algorithms/algorithms.ts'

const UNIT = { slotHash: '00000000-0000-4000-8000-000000000000', adCount: 1 }
/** Parameters that are read from every request, whatever its algorithm. */
const READ_OF_ALL: readonly ParameterName[] = ['lang', 'country']

const values = Object.fromEntries(
  Object.entries(parameters).map(([name, { input, example }]) => {
    if (input === 'attributes') return [name, [{ name: 'color', value: 'red' }]]
    return [name, input === 'list' ? [example] : example]
  }),
) as Partial<Record<ParameterName, unknown>>

const only = (names: readonly ParameterName[]) =>
  ({ ...UNIT, ...Object.fromEntries(names.map((name) => [name, values[name]])) }) as Targeting

it('lists every algorithm of ad units', () => {
  expect(Object.keys(algorithms).sort()).toEqual([...SPONSORED_ALGORITHMS, ...DISPLAY_ALGORITHMS].sort())
})

it.each(SPONSORED_ALGORITHMS)('asks for what %s needs, and for no more', (name: SponsoredAlgorithm) => {
  const { needs } = algorithms[name]
  const { check } = served[name]
  expect(check(only([])).length).toBe(needs.length)
  for (const group of needs) {
    const others = needs.filter((each) => each !== group).flat()
    expect(check(only(others)).length).toBe(1)
    for (const parameter of group) expect(check(only([...others, parameter]))).toEqual([])
  }
})

it.each(SPONSORED_ALGORITHMS)('offers the parameters that the plan of %s reads', (name: SponsoredAlgorithm) => {
  const read = new Set<string>()
  const targeting = new Proxy(only(Object.keys(values) as ParameterName[]), {
    get(target, property) {
      read.add(String(property))
      return target[property as keyof Targeting]
    },
  })
  const offer = { id: 'SKU-1', title: 'Lamp', productTypes: ['Home > Lamps'], lang: null }
  const reference = [{ offer, signals: null, campaignIds: [] }] as never
  served[name].check(targeting)
  served[name].reference(targeting)
  served[name].plan({ targeting, lang: 'en', reference })
  const { needs, takes } = algorithms[name]
  const offered = [...new Set([...needs.flat(), ...takes])].filter((each) => !READ_OF_ALL.includes(each))
  expect(offered.sort()).toEqual([...read].filter((each) => !READ_OF_ALL.includes(each as ParameterName)).sort())
})

it('has words for every reason why a product cannot be shown', () => {
  expect(Object.keys(whyNotWords).sort()).toEqual([...whyNotCodes].sort())
})
