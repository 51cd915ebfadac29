import { useWindowEvent } from '@mantine/hooks'
import { useEffect } from 'react'
import { ownAccountId } from '../client/client.ts'

/** The browser keeps the account of the tab that was used last: the panel opens with it. */
const KEY = 'endcap-account'

export const lastAccountId = (): string | null => localStorage.getItem(KEY)

/** Keeps the account of this tab as the last one, when it is opened and whenever it is used again. */
export function useLastAccount(): void {
  useEffect(keep, [])
  useWindowEvent('focus', keep)
}

function keep(): void {
  if (ownAccountId !== null) localStorage.setItem(KEY, ownAccountId)
}
