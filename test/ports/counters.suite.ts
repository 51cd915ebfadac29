import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Counters, CountersBehind, type Limit, type Outcome, type Step } from '../../infra/counters/port.ts'
import { tries } from '../effort.ts'
import { waitFor } from '../wait-for.ts'
import { reservationsSuite } from './counters-reservations.suite.ts'

/** What every implementation of Counters must hold. */
export interface CountersSubject {
  /** Opens counters of their own, empty. */
  open(): Promise<Counters>
  /** Closes and opens the same counters again, as after a restart. */
  reopen(counters: Counters): Promise<Counters>
  /** Closes them and removes what they stored. */
  dispose(counters: Counters): Promise<void>
}

const SECRETS_EXPIRING = 2_000
const FAR = 4_000_000_000_000
let nextOffset = 0

function step(change: Partial<Step>): Step {
  return { source: 'events/0', offset: nextOffset++, once: null, limits: [], now: 1_000, ...change }
}
function limit(key: string, add: number, max: number | null = null, more: Partial<Limit> = {}): Limit {
  return { name: `over ${key}`, key, add, max, expiresAt: null, ...more }
}

export function countersSuite(subject: CountersSubject): void {
  let counters: Counters
  beforeEach(async () => {
    nextOffset = 0
    counters = await subject.open()
  })
  afterEach(() => subject.dispose(counters))
  const apply = async (change: Partial<Step>) => (await counters.apply([step(change)]))[0]
  const read = async (key: string) => (await counters.read([key]))[0]

  test('nothing to do is done, and a key never written is 0', async () => {
    expect(await counters.apply([])).toEqual([])
    expect(await counters.read([])).toEqual([])
    expect(await counters.read(['never', 'ever'])).toEqual([0, 0])
  })

  test('a step raises each of its keys, and read gives values in the order asked', async () => {
    expect(await apply({ limits: [limit('a', 2), limit('b', 5, 5)] })).toBe('APPLIED')
    expect(await apply({ limits: [limit('a', 3)] })).toBe('APPLIED')
    expect(await counters.read(['b', 'a', 'b'])).toEqual([5, 5, 5])
  })

  test('a limit may be reached and not passed', async () => {
    const outcomes = await counters.apply([4, 5, 6, 5, 1].map((add) => step({ limits: [limit('spend', add, 10)] })))
    expect(outcomes).toEqual(['APPLIED', 'APPLIED', 'over spend', 'over spend', 'APPLIED'])
    expect(await read('spend')).toBe(10)
  })

  test('a step held back by one limit raises none, and is named after the first that holds it', async () => {
    await apply({ limits: [limit('full', 1), limit('fuller', 1)] })
    const held = { limits: [limit('free', 1, 9), limit('full', 1, 1), limit('fuller', 1, 1)] }
    expect(await apply(held)).toBe('over full')
    expect(await counters.read(['free', 'full', 'fuller'])).toEqual([0, 1, 1])
  })

  test('a limit without max only counts', async () => {
    expect(await apply({ limits: [limit('seen', Number.MAX_SAFE_INTEGER - 1)] })).toBe('APPLIED')
    expect(await apply({ limits: [limit('seen', 1)] })).toBe('APPLIED')
    expect(await read('seen')).toBe(Number.MAX_SAFE_INTEGER)
  })

  test('a limit under what is already counted holds back even a step that adds nothing', async () => {
    await apply({ limits: [limit('spend', 10)] })
    expect(await apply({ limits: [limit('spend', 0, 9)] })).toBe('over spend')
    expect(await apply({ limits: [limit('spend', 0, 10)] })).toBe('APPLIED')
  })

  test('only the first step with a once key goes on', async () => {
    const once = { key: 'click-1', expiresAt: FAR }
    expect(await apply({ once, limits: [limit('n', 1)] })).toBe('APPLIED')
    expect(await apply({ once, limits: [limit('n', 1)] })).toBe('SEEN')
    expect(await read('n')).toBe(1)
  })

  test('a step held back by a limit has used its once key', async () => {
    const once = { key: 'click-1', expiresAt: FAR }
    expect(await apply({ once, limits: [limit('n', 1, 0)] })).toBe('over n')
    expect(await apply({ once, limits: [limit('n', 1, 9)] })).toBe('SEEN')
  })

  test('a once key and a counter of the same name have nothing to do with each other', async () => {
    expect(await apply({ limits: [limit('same', 3)] })).toBe('APPLIED')
    expect(await apply({ once: { key: 'same', expiresAt: FAR } })).toBe('APPLIED')
    expect(await read('same')).toBe(3)
  })

  test('a position is applied once; repeated, it gets its first outcome, whatever the repeat asks for', async () => {
    const first = [
      step({ offset: 10, once: { key: 'k', expiresAt: FAR }, limits: [limit('n', 1, 1)] }),
      step({ offset: 12, once: { key: 'k', expiresAt: FAR }, limits: [limit('n', 1, 1)] }),
      step({ offset: 15, limits: [limit('n', 1, 1)] }),
    ]
    const outcomes = ['APPLIED', 'SEEN', 'over n']
    expect(await counters.apply(first)).toEqual(outcomes)
    expect(await counters.apply(first)).toEqual(outcomes)
    expect(await counters.apply([step({ offset: 15, limits: [] }), step({ offset: 10 })])).toEqual([
      'over n',
      'APPLIED',
    ])
    expect(await read('n')).toBe(1)
  })

  test('a position repeated within one call is applied once', async () => {
    const same = step({ offset: 3, limits: [limit('n', 1)] })
    expect(await counters.apply([same, same])).toEqual(['APPLIED', 'APPLIED'])
    expect(await read('n')).toBe(1)
  })

  test('positions of different sources are apart', async () => {
    const here = step({ offset: 0, limits: [limit('n', 1)] })
    expect(await counters.apply([here, { ...here, source: 'events/1' }, here])).toEqual(Array(3).fill('APPLIED'))
    expect(await read('n')).toBe(2)
  })

  test('values, once keys, positions and outcomes outlive a restart', async () => {
    const first = [
      step({ offset: 0, once: { key: 'k', expiresAt: FAR }, limits: [limit('n', 2, 3)] }),
      step({ offset: 1, limits: [limit('n', 2, 3)] }),
    ]
    expect(await counters.apply(first)).toEqual(['APPLIED', 'over n'])
    counters = await subject.reopen(counters)
    expect(await read('n')).toBe(2)
    expect(await counters.apply(first)).toEqual(['APPLIED', 'over n'])
    expect(await counters.apply([step({ offset: 2, once: first[0]!.once })])).toEqual(['SEEN'])
    expect(await read('n')).toBe(2)
  })

  test('outcomes of the last 100,000 positions are kept', async () => {
    const at = (offset: number) => step({ offset, limits: [limit('n', 1, 1)] })
    await counters.apply([at(0), at(1)])
    await counters.apply([at(100_000)])
    expect(await counters.apply([at(1), at(100_000)])).toEqual(['over n', 'over n'])
  })

  test('an expired counter starts from 0, and counts again', async () => {
    await apply({ now: 1_000, limits: [limit('day', 3, 3, { expiresAt: 2_000 })] })
    expect(await apply({ now: 1_999, limits: [limit('day', 1, 3, { expiresAt: 2_000 })] })).toBe('over day')
    expect(await apply({ now: 2_000, limits: [limit('day', 1, 3, { expiresAt: 3_000 })] })).toBe('APPLIED')
    expect(await read('day')).toBe(1)
  })

  test('an expired once key can be taken again', async () => {
    expect(await apply({ now: 1_000, once: { key: 'k', expiresAt: 2_000 } })).toBe('APPLIED')
    expect(await apply({ now: 1_999, once: { key: 'k', expiresAt: 9_000 } })).toBe('SEEN')
    expect(await apply({ now: 2_000, once: { key: 'k', expiresAt: 9_000 } })).toBe('APPLIED')
    expect(await apply({ now: 2_001, once: { key: 'k', expiresAt: 9_000 } })).toBe('SEEN')
  })

  test('what has expired is read as 0 once a step has told the time', async () => {
    await apply({ now: 1_000, limits: [limit('day', 3, null, { expiresAt: 2_000 })] })
    expect(await read('day')).toBe(3)
    await apply({ now: 2_000 })
    expect(await read('day')).toBe(0)
  })

  test('thousandths are collected until they complete a unit, which the limits that carry are raised by', async () => {
    const carry = { key: 'rest', thousandths: 400 }
    const limits = [limit('spend', 7, null, { carries: true }), limit('views', 1)]
    const outcomes = await counters.apply(Array.from({ length: 5 }, () => step({ carry, limits })))
    expect(outcomes).toEqual(['APPLIED', 'APPLIED', 'CARRIED', 'APPLIED', 'CARRIED'])
    expect(await counters.read(['spend', 'views', 'rest'])).toEqual([37, 5, 0])
  })

  test('a unit that would be completed is held to the limit, and a step held back collects nothing', async () => {
    const carry = { key: 'rest', thousandths: 600 }
    const limits = [limit('spend', 5, 10, { carries: true })]
    const outcomes = await counters.apply([step({ carry, limits }), step({ carry, limits })])
    expect(outcomes).toEqual(['APPLIED', 'over spend'])
    expect(await counters.read(['spend', 'rest'])).toEqual([5, 600])
  })

  test('positions tell how far each source was applied', async () => {
    await counters.apply([step({ offset: 3 }), step({ offset: 8 }), step({ source: 'events/1', offset: 0 })])
    expect(await counters.positions(['events/1', 'events/0', 'never'])).toEqual([0, 8, -1])
    expect(await counters.positions([])).toEqual([])
  })

  test('progress moves a source on over offsets without a step, and never back', async () => {
    const source = 'events/0'
    await counters.apply([step({ offset: 3, limits: [limit('n', 1)] })], { source, after: -1, upTo: 9 })
    expect(await counters.positions([source])).toEqual([9])
    await counters.apply([], { source, after: 9, upTo: 4 })
    await counters.apply([], { source, after: 4, upTo: 11 })
    expect(await counters.positions([source])).toEqual([11])
    expect(await counters.apply([step({ offset: 3 })], { source, after: 11, upTo: 3 })).toEqual(['APPLIED'])
    expect(await read('n')).toBe(1)
  })

  test('steps are not applied past what the counters have lost', async () => {
    const source = 'events/0'
    const ahead = [step({ offset: 20, limits: [limit('n', 1)] })]
    const refused = counters.apply(ahead, { source, after: 19, upTo: 20 })
    await expect(refused).rejects.toBeInstanceOf(CountersBehind)
    expect(await counters.positions([source])).toEqual([-1])
    expect(await read('n')).toBe(0)
    await counters.apply([step({ offset: 4 })], { source, after: -1, upTo: 19 })
    expect(await counters.apply(ahead, { source, after: 19, upTo: 20 })).toEqual(['APPLIED'])
    expect(await read('n')).toBe(1)
  })

  test('a long list with progress is applied whole, and leaves the source at its end', async () => {
    const source = 'events/0'
    const steps = Array.from({ length: 2_500 }, () => step({ limits: [limit('n', 1)] }))
    expect(await counters.apply(steps, { source, after: -1, upTo: 7_000 })).toHaveLength(2_500)
    expect(await counters.positions([source])).toEqual([7_000])
    expect(new Set(await counters.apply(steps, { source, after: -1, upTo: 7_000 }))).toEqual(new Set(['APPLIED']))
    expect(await read('n')).toBe(2_500)
  })

  test('clear forgets values, once keys and positions', async () => {
    const first = step({ offset: 5, once: { key: 'k', expiresAt: FAR }, limits: [limit('n', 1)] })
    await counters.apply([first])
    await counters.clear()
    expect(await read('n')).toBe(0)
    expect(await counters.apply([first])).toEqual(['APPLIED'])
    expect(await read('n')).toBe(1)
  })

  test('two sources at once never pass a limit between them', async () => {
    const source = (name: string) => (_: unknown, offset: number) =>
      step({ source: name, offset, limits: [limit('spend', 3, 100)] })
    const calls = ['events/0', 'events/1'].flatMap((name) => {
      const steps = Array.from({ length: 60 }, source(name))
      return [steps.slice(0, 20), steps.slice(20, 40), steps.slice(40)]
    })
    const outcomes = (await Promise.all(calls.map((steps) => counters.apply(steps)))).flat()
    expect(outcomes.filter((outcome) => outcome === 'APPLIED')).toHaveLength(33)
    expect(await read('spend')).toBe(99)
  })

  test('a list of many steps is applied whole, in order', async () => {
    const outcomes = await counters.apply(Array.from({ length: 5_000 }, () => step({ limits: [limit('n', 1, 4_321)] })))
    expect(outcomes.findIndex((outcome) => outcome !== 'APPLIED')).toBe(4_321)
    expect(await read('n')).toBe(4_321)
  })

  test('a brief limit counts as any other', async () => {
    const brief = { brief: true, expiresAt: FAR }
    expect(await apply({ limits: [limit('settled', 2, null, brief)] })).toBe('APPLIED')
    expect(await apply({ limits: [limit('settled', 3, null, brief)] })).toBe('APPLIED')
    expect(await read('settled')).toBe(5)
  })

  test('what is taken away leaves nothing at least', async () => {
    await apply({ limits: [limit('spend', 5)] })
    expect(await apply({ limits: [limit('spend', -3)] })).toBe('APPLIED')
    expect(await read('spend')).toBe(2)
    expect(await apply({ limits: [limit('spend', -3, null, { expiresAt: FAR })] })).toBe('APPLIED')
    expect(await apply({ limits: [limit('spend', 1)] })).toBe('APPLIED')
    expect(await read('spend')).toBe(1)
  })

  test('the keys of a window count with the key of the limit', async () => {
    await apply({ limits: [limit('clicks/1', 2)] })
    const second = { limits: [limit('clicks/2', 1, 3, { window: ['clicks/1', 'clicks/0'] })] }
    expect(await apply(second)).toBe('APPLIED')
    expect(await apply(second)).toBe('over clicks/2')
    expect(await counters.read(['clicks/1', 'clicks/2'])).toEqual([2, 1])
  })

  test('what other keys have counted raises a limit, rounded down and at most to its own limit', async () => {
    await apply({ limits: [limit('views', 7), limit('more', 100)] })
    const views = { keys: ['views', 'never'], gives: 1, per: 5, max: null }
    const more = { keys: ['more'], gives: 3, per: 10, max: 2 }
    const outcomes = await counters.apply(
      Array.from({ length: 5 }, () => step({ limits: [limit('clicks', 1, 1, { allowances: [views, more] })] })),
    )
    expect(outcomes).toEqual([...Array(4).fill('APPLIED'), 'over clicks'])
  })

  test('a limit that marks lets the step go on, is not raised itself, and is named in the outcome', async () => {
    const limits = [limit('fast', 1, 0, { marks: true }), limit('n', 1), limit('late', 1, 0, { marks: true })]
    expect(await apply({ limits })).toBe('APPLIED+over fast+over late')
    expect(await apply({ limits: [...limits, limit('full', 1, 0)] })).toBe('over full')
    expect(await counters.read(['fast', 'n', 'late'])).toEqual([0, 1, 0])
  })

  test('an actor is first, then new, and known once long enough remembered', async () => {
    const actor = { key: 'cid', knownAfterMs: 10, expiresAt: 1_050 }
    const limits = (['FIRST', 'NEW', 'KNOWN'] as const).map((of) => limit(of, 1, null, { of }))
    const counted = async (now: number) => {
      await apply({ now, actor, limits })
      return counters.read(['FIRST', 'NEW', 'KNOWN'])
    }
    expect(await counted(1_000)).toEqual([1, 1, 0])
    expect(await counted(1_009)).toEqual([1, 2, 0])
    expect(await counted(1_010)).toEqual([1, 2, 1])
    expect(await counted(1_050)).toEqual([2, 3, 1])
    expect(await apply({ limits: [limit('full', 1, 0, { of: 'NEW' })] })).toBe('APPLIED')
  })

  test('who is held back is not remembered', async () => {
    const actor = { key: 'cid', knownAfterMs: 0, expiresAt: FAR }
    expect(await apply({ actor, limits: [limit('full', 1, 0)] })).toBe('over full')
    expect(await apply({ actor, limits: [limit('first', 1, 0, { of: 'FIRST' })] })).toBe('over first')
  })

  test('a limit unless a once key is taken is not there once it is', async () => {
    const limits = [limit('unseen', 1, 0, { unlessTaken: 'view-1' })]
    expect(await apply({ limits })).toBe('over unseen')
    await apply({ once: { key: 'view-1', expiresAt: 1_100 } })
    expect(await apply({ limits })).toBe('APPLIED')
    expect(await apply({ limits: [limit('unseen', 1, 1, { unlessTaken: 'view-1' })], now: 1_100 })).toBe('APPLIED')
    expect(await read('unseen')).toBe(1)
  })

  test('all who propose a secret under one name get the first, and another name is another secret', async () => {
    const agreed = await Promise.all(['a', 'b', 'c'].map((each) => counters.agree('monday', each, 60_000)))
    expect(new Set(agreed).size).toBe(1)
    expect(await counters.agree('monday', 'd', 60_000)).toBe(agreed[0])
    expect(await counters.agree('tuesday', 'd', 60_000)).toBe('d')
  })

  test('a secret is forgotten in time, and not with the counters', async () => {
    await counters.agree('monday', 'a', 1)
    await waitFor(async () => (await counters.agree('monday', 'b', 60_000)) === 'b')
    await counters.clear()
    expect(await counters.agree('monday', 'c', 60_000)).toBe('b')
  })

  test('a secret that is answered while the one before expires is the one that is kept', async () => {
    for (let i = 0; i < SECRETS_EXPIRING; i++) {
      const name = `day ${i}`
      await counters.agree(name, 'a', 1)
      const answered = await counters.agree(name, 'b', 60_000)
      if (answered === 'b') expect(await counters.agree(name, 'c', 60_000)).toBe('b')
    }
  })

  describe('reservations', () => reservationsSuite(() => counters))

  describe('any history', () => {
    test('gives the outcomes and values of a model that keeps the whole history', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
          await counters.clear()
          const model = new Model()
          let now = 1_000
          for (const { draws, restart } of calls) {
            if (restart) counters = await subject.reopen(counters)
            const steps = draws.map((draw) => {
              now += draw.wait
              return model.position(draw, now)
            })
            expect(await counters.apply(steps)).toEqual(steps.map((each) => model.outcome(each)))
            expect(await counters.read(KEYS)).toEqual(KEYS.map((key) => model.value(key)))
          }
        }),
        { numRuns: tries(40, 400) },
      )
    })
  })
}

const KEYS = ['a', 'b', 'c', 'rest']
const draw = fc.record({
  source: fc.constantFrom('events/0', 'events/1'),
  /** 0 repeats the source's last position; more goes on, with gaps. */
  ahead: fc.constantFrom(0, 1, 1, 1, 3),
  wait: fc.integer({ min: 0, max: 5 }),
  once: fc.option(fc.record({ key: fc.constantFrom('x', 'y', 'z'), life: fc.integer({ min: 1, max: 30 }) })),
  thousandths: fc.option(fc.integer({ min: 1, max: 999 })),
  limits: fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      add: fc.integer({ min: 0, max: 4 }),
      max: fc.option(fc.integer({ min: 0, max: 12 })),
      life: fc.option(fc.integer({ min: 1, max: 40 })),
      carries: fc.boolean(),
      window: fc.constantFrom(undefined, ['b'], ['a', 'c']),
      allowances: fc.constantFrom(
        undefined,
        [{ keys: ['b'], gives: 1, per: 2, max: null }],
        [
          { keys: ['a', 'c'], gives: 3, per: 4, max: 5 },
          { keys: ['c'], gives: 2, per: 1, max: 1 },
        ],
      ),
      marks: fc.constantFrom(undefined, true),
      of: fc.constantFrom(undefined, undefined, 'FIRST' as const, 'NEW' as const, 'KNOWN' as const),
      unlessTaken: fc.constantFrom(undefined, undefined, 'x'),
    }),
    { maxLength: 3 },
  ),
  actor: fc.option(
    fc.record({
      key: fc.constantFrom('who 1', 'who 2'),
      knownAfterMs: fc.nat(12),
      life: fc.integer({ min: 1, max: 40 }),
    }),
  ),
})
const call = fc.record({
  restart: fc.integer({ min: 0, max: 24 }).map((n) => n === 0),
  draws: fc.array(draw, { maxLength: 8 }),
})

/** Counters as a list of everything that happened: a value is the sum of its raises since it last expired. */
class Model {
  readonly #raises: { key: string; add: number; at: number; expiresAt: number }[] = []
  readonly #outcomes = new Map<string, Outcome>()
  readonly #positions = new Map<string, number>()
  /** Of the last step that was not a repeat. */
  #now = 0

  position(drawn: typeof draw extends fc.Arbitrary<infer D> ? D : never, now: number): Step {
    const last = this.#positions.get(drawn.source) ?? -1
    const offset = Math.max(0, last + drawn.ahead)
    this.#positions.set(drawn.source, offset)
    return {
      source: drawn.source,
      offset,
      now,
      once: drawn.once && { key: drawn.once.key, expiresAt: now + drawn.once.life },
      carry: drawn.thousandths ? { key: 'rest', thousandths: drawn.thousandths } : null,
      actor: drawn.actor && { ...drawn.actor, expiresAt: now + drawn.actor.life },
      limits: drawn.limits.map(({ life, ...each }, i) => ({
        ...each,
        name: `limit ${i}`,
        expiresAt: life === null ? null : now + life,
      })),
    }
  }

  value(key: string, now = this.#now): number {
    const raises = this.#raises.filter((raise) => raise.key === key)
    const restart = raises.findLastIndex((raise, i) => (raises[i + 1]?.at ?? now) >= raise.expiresAt)
    return raises.slice(restart + 1).reduce((sum, raise) => sum + raise.add, 0)
  }

  outcome(each: Step): Outcome {
    const position = `${each.source}@${each.offset}`
    const known = this.#outcomes.get(position)
    if (known !== undefined) return known
    const outcome = this.#judge(each)
    this.#outcomes.set(position, outcome)
    return outcome
  }

  #judge({ once, limits, carry, actor, now }: Step): Outcome {
    this.#now = now
    const raise = (key: string, add: number, expiresAt: number | null) =>
      this.#raises.push({ key, add, at: now, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY })
    if (once) {
      if (this.value(`once ${once.key}`, now) > 0) return 'SEEN'
      raise(`once ${once.key}`, 1, once.expiresAt)
    }
    const completes = carry ? this.value(carry.key, now) + carry.thousandths > 999 : false
    const added = (each: Limit) => each.add + (each.carries && completes ? 1 : 0)
    const total = (keys: readonly string[]) => keys.reduce((sum, key) => sum + this.value(key, now), 0)
    const since = actor ? this.value(actor.key, now) : 0
    const stages = !actor ? [] : since === 0 ? ['FIRST', 'NEW'] : [now < since + actor.knownAfterMs ? 'NEW' : 'KNOWN']
    const there = limits.filter(
      ({ of, unlessTaken }) =>
        (!of || stages.includes(of)) && !(unlessTaken && this.value(`once ${unlessTaken}`, now) > 0),
    )
    const exceeded = there.filter((each) => {
      const gifts = (each.allowances ?? []).map(({ keys, gives, per, max }) =>
        Math.min(Math.floor((total(keys) * gives) / per), max ?? Number.POSITIVE_INFINITY),
      )
      const value = total([each.key, ...(each.window ?? [])])
      return each.max !== null && value + added(each) > gifts.reduce((sum, gift) => sum + gift, each.max)
    })
    const held = exceeded.find((each) => !each.marks)
    if (held) return held.name
    for (const each of there) if (!exceeded.includes(each)) raise(each.key, added(each), each.expiresAt)
    if (actor && since === 0) raise(actor.key, now, actor.expiresAt)
    if (carry) raise(carry.key, carry.thousandths - (completes ? 1000 : 0), null)
    return [completes ? 'CARRIED' : 'APPLIED', ...exceeded.map(({ name }) => name)].join('+')
  }
}
