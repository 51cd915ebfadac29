import { useMatches } from 'react-router'
import type { PageEntry } from '../pages.ts'

/** The page that the router shows, read from its route's handle; null at an unknown address. */
export const useShownPage = (): PageEntry | null => (useMatches().at(-1)?.handle as PageEntry | undefined) ?? null
