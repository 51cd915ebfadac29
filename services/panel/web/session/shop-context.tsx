import { useLocalStorage } from '@mantine/hooks'
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

/** Holds the chosen shop and remembers it in the browser. */
export function ShopProvider({ children }: { children: ReactNode }) {
  const { user } = useSession()
  const [chosen, choose] = useLocalStorage({ key: `endcap-shop-${user.id}`, defaultValue: '' })
  const { items: shops } = useList('/v1/panel/shops', { pageSize: PAGE_SIZE_MAX })
  const shop = shops?.find(({ id }) => id === chosen) ?? shops?.[0]
  return <ShopContext value={{ shops, shop, choose }}>{children}</ShopContext>
}

/** The shops that the user may see, and the one chosen in the header. */
export function useShop(): ShopChoice {
  const choice = use(ShopContext)
  if (!choice) throw new Error('there is no shell here')
  return choice
}
