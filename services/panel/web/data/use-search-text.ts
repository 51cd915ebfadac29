import { useDebouncedValue } from '@mantine/hooks'

const DELAY_MS = 250

/** What to search for while somebody types: the text, without spaces around it, once nothing was typed for a moment. */
export function useSearchText(typed: string): string {
  const [text] = useDebouncedValue(typed.trim(), DELAY_MS)
  return text
}
