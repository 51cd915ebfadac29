import { useCallback, useEffect, useState } from 'react'
import { type NavigateOptions, useLocation, useSearchParams } from 'react-router'

type ChangeQuery = (change: (query: URLSearchParams) => URLSearchParams, options?: NavigateOptions) => void

/** The query of the page's address. A change begins with the address as it is, which may be newer than what is rendered. */
export function useAddressQuery(): [URLSearchParams, ChangeQuery] {
  const [rendered, setSearch] = useSearchParams()
  const change: ChangeQuery = useCallback((change, options) => setSearch(change(currentQuery()), options), [setSearch])
  return [rendered, change]
}

/**
 * A value in the query of the page's address, such as a filter: it survives a reload, can be shared, and is there again on the way
 * back. Null when the address has none. A change takes the place of the address in the history.
 */
export function useAddressValue<T extends string = string>(name: string): [T | null, (value: T | null) => void] {
  const [query, change] = useAddressQuery()
  const put = (value: T | null) => change(withValue(name, value), { replace: true, preventScrollReset: true })
  return [query.get(name) as T | null, put]
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
      const query = withValue(name, text)(currentQuery()).toString()
      window.history.replaceState(window.history.state, '', query ? `?${query}` : window.location.pathname)
    },
  ]
}

const currentQuery = () => new URLSearchParams(window.location.search)

function withValue(name: string, value: string | null) {
  return (query: URLSearchParams): URLSearchParams => {
    if (value) query.set(name, value)
    else query.delete(name)
    return query
  }
}
