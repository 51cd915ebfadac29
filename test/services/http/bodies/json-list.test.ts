import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitList } from '../../../../services/http/json-list.ts'

const split = async (json: string, elementsMax = 1_000) => {
  const { body, elements } = await splitList(Buffer.from(json), { name: 'events', elementsMax })
  return { body, elements: elements.map((element) => JSON.parse(element.toString()) as unknown) }
}
const refusal = (json: string) =>
  split(json).then(
    () => null,
    (error) => error.code,
  )

/** JSON with blanks wherever they are allowed. */
function spaced(value: unknown, blank: string): string {
  if (Array.isArray(value)) return `[${blank}${value.map((item) => spaced(item, blank) + blank).join(`,${blank}`)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${blank}${JSON.stringify(name)}${blank}:${blank}${spaced(member, blank)}${blank}`,
  )
  return `{${members.join(',') || blank}}`
}

describe('a body with a long list', () => {
  it('is split into what a parser reads of its elements, wherever the list stands', async () => {
    const safe = fc.jsonValue({ maxDepth: 4 }).filter((value) => !/__proto__|constructor/.test(JSON.stringify(value)))
    const around = fc.dictionary(fc.constantFrom('a', 'event', 'events ', '"', 'ą'), safe, { noNullPrototype: true })
    await fc.assert(
      fc.asyncProperty(
        ...[around, fc.array(safe), around, fc.constantFrom('', ' ', '\n\t ')],
        async (before, events, after, blank) => {
          const body = { ...before, events, ...after }
          const read = await split(blank + spaced(body, blank) + blank)
          const expected = JSON.parse(JSON.stringify(body))
          expect(read).toEqual({ body: { ...expected, events: [] }, elements: expected.events })
        },
      ),
    )
  })

  it('has the last of two lists, as for any parser', async () => {
    expect(await split('{"events":[1],"events":[2,[3]]}')).toEqual({ body: { events: [] }, elements: [2, [3]] })
  })

  it('is left as it is without one', async () => {
    for (const body of [
      { events: 7 },
      { events: { events: [1] } },
      { event: [1] },
      [{ events: [1] }],
      'events',
      null,
    ]) {
      expect(await split(JSON.stringify(body))).toEqual({ body, elements: [] })
    }
  })

  it('is looked through only as far as elements are wanted', async () => {
    expect((await split(`{"events":[${'1,'.repeat(99_999)}1]}`, 3)).elements).toHaveLength(4)
  })

  it.each([
    '',
    '{',
    '{"events":[',
    '{"events":[1',
    '{"events":[1}',
    '{"events":[1]',
    '{"events":[1]]}',
    '{"events":[1],}',
    '{"events":["',
  ])('is not JSON as %j', async (json) => expect(await refusal(json)).toBe('MALFORMED_JSON'))

  it('is too large when there is more than a list', async () => {
    const long = 'a'.repeat(1024 * 1024 + 1)
    expect(await refusal(`{"events":["${long}"]}`)).toBe('TOO_LARGE')
    expect(await refusal(`{"events":[],"a":[${'"a",'.repeat(400_000)}1]}`)).toBe('TOO_LARGE')
    expect(await refusal(`{"events":[],"a":${'['.repeat(100)}}`)).toBe('TOO_LARGE')
  })
})
