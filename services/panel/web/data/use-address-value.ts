import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'

/**
 * A value in the query of the page's address, such as a filter: it survives a reload, can be shared, and is there again on the way
 * back. Null when the address has none. A change takes the place of the address in the history.
 */
export function useAddressValue<T extends string = string>(name: string): [T | null, (value: T | null) => void] {
  const [search, setSearch] = useSearchParams()
  const put = (value: T | null) => setSearch(changedQuery(name, value), { replace: true, preventScrollReset: true })
  return [search.get(name) as T | null, put]
}

/**
 * A text that is typed into a field, and is in the address with each letter. The router does not hear of it: it would render the
 * whole page for each letter, and the field, which waits for that, would lose some.
 */
export function useAddressText(name: string): [string, (text: string) => void] {
  const { key } = useLocation()
  const inAddress = () => currentQuery().get(name) ?? ''
  const [typed, setTyped] = useState(inAddress)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is that of the address whenever the router has changed it
  useEffect(() => setTyped(inAddress()), [key])
  return [
    typed,
    (text) => {
      setTyped(text)
      const query = changedQuery(name, text).toString()
      window.history.replaceState(window.history.state, '', query ? `?${query}` : window.location.pathname)
    },
  ]
}

/** The query of the address, which may be newer than what the router has rendered. */
const currentQuery = () => new URLSearchParams(window.location.search)

function changedQuery(name: string, value: string | null): URLSearchParams {
  const query = currentQuery()
  if (value) query.set(name, value)
  else query.delete(name)
  return query
}
