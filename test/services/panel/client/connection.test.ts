import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createConnection } from '../../../../services/panel/web/client/connection-state.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function world() {
  const state = { answers: true, isVisible: true, asked: 0 }
  const connection = createConnection({
    ask: async () => {
      state.asked++
      return state.answers
    },
    isVisible: () => state.isVisible,
  })
  const heard: boolean[] = []
  connection.subscribe(() => heard.push(connection.isAway()))
  return { state, connection, heard }
}

it('believes that the server is away only when it does not answer a question either', async () => {
  const { state, connection, heard } = world()
  connection.failed()
  await vi.advanceTimersByTimeAsync(0)
  expect(connection.isAway()).toBe(false)
  state.answers = false
  connection.failed()
  await vi.advanceTimersByTimeAsync(0)
  expect(heard).toEqual([true])
})

it('asks ever more seldom while the server is away, and says once that it is back', async () => {
  const { state, connection, heard } = world()
  state.answers = false
  await connection.check()
  await vi.advanceTimersByTimeAsync(60_000)
  // The server is asked at once, and after 1, 3, 7, 15, 30, 45 and 60 seconds.
  expect(state.asked).toBe(8)
  state.answers = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.asked).toBe(9)
  expect(heard).toEqual([true, false])
})

it('asks nothing while nobody sees the page', async () => {
  const { state, connection } = world()
  Object.assign(state, { answers: false, isVisible: false })
  await connection.check()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.asked).toBe(1)
})

it('takes any answer as a sign that the server is back', async () => {
  const { state, connection, heard } = world()
  state.answers = false
  await connection.check()
  connection.answered()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(heard).toEqual([true, false])
  expect(state.asked).toBe(1)
})
