import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'

/** How long after the last letter the address changes: each change of it renders the whole page. */
const TYPING_PAUSE_MS = 300

/** The state of an address that was changed by typing into a field. */
const TYPED = { isTyped: true }

/**
 * A value in the query of the page's address, such as a filter: it survives a reload, can be shared, and is there again on the way
 * back. Null when the address has none. A change takes the place of the address in the history.
 */
export function useAddressValue<T extends string = string>(
  name: string,
  state?: object,
): [T | null, (value: T | null) => void] {
  const [search, setSearch] = useSearchParams()
  const put = (value: T | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true, preventScrollReset: true, state },
    )
  return [search.get(name) as T | null, put]
}

/**
 * A text that is typed into a field, and is in the address once the typing pauses. A field that waited for the address would lose
 * letters, because the router renders it only when there is time.
 */
export function useAddressText(name: string): [string, (text: string) => void] {
  const { key, state } = useLocation()
  const [inAddress, put] = useAddressValue(name, TYPED)
  const [typed, setTyped] = useState(inAddress ?? '')
  const putSoon = useDebouncedCallback(put, TYPING_PAUSE_MS)
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address that was not typed is taken over once, when it comes
  useEffect(() => {
    if ((state as typeof TYPED | null)?.isTyped !== true) setTyped(inAddress ?? '')
  }, [key])
  return [
    typed,
    (text) => {
      setTyped(text)
      putSoon(text)
    },
  ]
}
