import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SynonymRule } from '../../../services/domain/catalogue/shop-synonyms.ts'

/** As many rules as a shop may have, each of a word of its own and its reverse. They take longer to analyse than one time slice. */
export const manySynonyms = Array.from({ length: 2_000 }, (_, i): SynonymRule => {
  const letters = i.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)
  const name = `${letters}ungsbauteil`
  return { names: [name, [...name].reverse().join('')], finds: null }
})

/** Does something with these rules in this thread. @returns the turns of the event loop in which each rule was read. */
export async function turnsOfReading(use: (rules: readonly SynonymRule[]) => Promise<unknown>): Promise<number[][]> {
  let turn = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turn++) await nextTurn()
  })()
  const turns = manySynonyms.map(() => [] as number[])
  const rules = manySynonyms.map(({ names, finds }, i) => ({
    finds,
    get names() {
      turns[i]!.push(turn)
      return names
    },
  }))
  await use(rules)
  isOver = true
  await others
  return turns
}
