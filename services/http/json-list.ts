import { createSlices, type Slices } from '../../infra/threads/slices.ts'
import { Problem } from '../domain/errors.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  endOfText,
  malformed,
  OPEN_LIST,
  OPEN_OBJECT,
  parseJson,
  QUOTE,
} from './json.ts'

/** Limit of each string, and of everything around the list. */
const PART_BYTES_MAX = 1024 * 1024
const BYTES_PER_LOOK = 64 * 1024

/** A JSON body whose long list is not parsed yet. */
export interface SplitBody {
  /** The parsed body, with an empty list in place of the long one. */
  body: unknown
  /** The JSON of each element, at most one more than `elementsMax`. Empty when there is no list. */
  elements: Buffer[]
}

/**
 * Splits the list in the property `name` of a body into its elements, so that each can be parsed in its own time slice. Only
 * the ends of elements are found here; whether they are valid JSON is left to their parser.
 * @throws Problem MALFORMED_JSON, TOO_LARGE
 */
export async function splitList(
  bytes: Buffer,
  { name, elementsMax, slices = createSlices() }: { name: string; elementsMax: number; slices?: Slices },
): Promise<SplitBody> {
  const key = Buffer.from(JSON.stringify(name))
  let elements: Buffer[] = []
  let depth = 0
  let lastText: [start: number, end: number] = [0, 0]
  let list = { start: -1, end: -1 }
  let elementStart = -1
  let looksAt = BYTES_PER_LOOK

  function endElement(end: number): void {
    if (elements.length <= elementsMax) elements.push(bytes.subarray(elementStart, end))
    elementStart = end + 1
  }
  for (let i = 0; i < bytes.length; i++) {
    if (i >= looksAt) {
      looksAt = i + BYTES_PER_LOOK
      if (slices.isOver()) await slices.next()
    }
    const isInList = list.start >= 0 && list.end < 0
    switch (bytes[i]) {
      case QUOTE: {
        const start = i
        i = endOfText(bytes, start, PART_BYTES_MAX)
        if (i - start > PART_BYTES_MAX)
          throw new Problem('TOO_LARGE', `A string in the body has more than ${PART_BYTES_MAX} bytes`)
        if (depth === 1) lastText = [start, i + 1]
        break
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++
        // Of two properties with the same name the last one counts, as in any JSON parser.
        if (depth === 2 && bytes[i] === OPEN_LIST && bytes.subarray(...lastText).equals(key)) {
          list = { start: i, end: -1 }
          elements = []
          elementStart = i + 1
        }
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth === 2 && isInList) {
          endElement(i)
          list.end = i + 1
        }
        depth--
        break
      case COMMA:
        if (depth === 2 && isInList) endElement(i)
    }
  }
  if (list.start >= 0 && list.end < 0) throw malformed()
  if (elements.length === 1 && isBlank(elements[0]!)) elements = []
  const parts = [bytes.subarray(0, list.start), Buffer.from('[]'), bytes.subarray(list.end)]
  const around = list.start < 0 ? bytes : Buffer.concat(parts)
  if (around.length > PART_BYTES_MAX)
    throw new Problem('TOO_LARGE', `Apart from ${name}, the body has more than ${PART_BYTES_MAX} bytes`)
  return { body: parseJson(around), elements }
}

/** True for an element of whitespace only; a long one is never blank. */
function isBlank(element: Buffer): boolean {
  return element.length < BYTES_PER_LOOK && element.toString('latin1').trim() === ''
}
