import { useLocalStorage, useSessionStorage, useWindowEvent } from '@mantine/hooks'
import { createContext, type ReactNode, use } from 'react'
import type { Shop } from '../client/types.ts'
import { PAGE_SIZE_MAX, useList } from '../data/use-list.ts'
import { useSession } from './session.ts'

interface ShopChoice {
  /** Undefined while the shops are loading. */
  shops: readonly Shop[] | undefined
  /** The shop that the pages show; undefined when there is none, or while it is loading. */
  shop: Shop | undefined
  choose: (id: string) => void
}

const ShopContext = createContext<ShopChoice | null>(null)

/** Holds the shop chosen in this tab. */
export function ShopProvider({ children }: { children: ReactNode }) {
  const { user } = useSession()
  const [chosen, choose] = useChosenShop(`endcap-shop-${user.id}`)
  const { items: shops } = useList('/v1/panel/shops', { pageSize: PAGE_SIZE_MAX })
  const shop = shops?.find(({ id }) => id === chosen) ?? shops?.[0]
  return <ShopContext value={{ shops, shop, choose }}>{children}</ShopContext>
}

/**
 * The id of the chosen shop, '' before any choice. Each tab keeps its own: a choice in one must not move a form that is open in
 * another to that shop. A new tab begins with the shop of the tab that was used last.
 */
function useChosenShop(key: string): [string, (id: string) => void] {
  const [last, setLast] = useLocalStorage({ key, defaultValue: '', getInitialValueInEffect: false, sync: false })
  const [own, setOwn] = useSessionStorage({ key, defaultValue: last, getInitialValueInEffect: false, sync: false })
  const choose = (id: string) => {
    setOwn(id)
    setLast(id)
  }
  useWindowEvent('focus', () => choose(own))
  return [own, choose]
}

/** The shops that the user may see, and the one chosen in the header. */
export function useShop(): ShopChoice {
  const choice = use(ShopContext)
  if (!choice) throw new Error('there is no shell here')
  return choice
}
