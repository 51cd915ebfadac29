import { useDebouncedValue } from '@mantine/hooks'
import { useEffect } from 'react'

const SETTLED_AFTER_MS = 300

/**
 * Tells a page what is typed, once the user has not typed for a while. The letters belong to the field: if they were the page's, it
 * would render all its rows for each of them, and ask the API.
 */
export function useSettled(typed: string, settle: ((text: string) => void) | undefined): void {
  const [settled] = useDebouncedValue(typed, SETTLED_AFTER_MS)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another function to call is no other text
  useEffect(() => settle?.(settled), [settled])
}
