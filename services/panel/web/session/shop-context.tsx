import { useLocalStorage } from '@mantine/hooks'
import { createContext, type ReactNode, use } from 'react'
import type { Shop } from '../client/types.ts'
import { PAGE_SIZE_MAX, useList } from '../data/use-list.ts'
import { useSession } from './session.ts'

interface ShopChoice {
  /** Undefined until they are known. */
  shops: readonly Shop[] | undefined
  /** The one that pages are about; undefined: there is none, or it is not known yet. */
  shop: Shop | undefined
  choose: (id: string) => void
}

const ShopContext = createContext<ShopChoice | null>(null)

/** Keeps the chosen shop, which the browser remembers. */
export function ShopProvider({ children }: { children: ReactNode }) {
  const { user } = useSession()
  const [chosen, choose] = useLocalStorage({ key: `endcap-shop-${user.id}`, defaultValue: '' })
  const { items: shops } = useList('/v1/panel/shops', { pageSize: PAGE_SIZE_MAX })
  const shop = shops?.find(({ id }) => id === chosen) ?? shops?.[0]
  return <ShopContext value={{ shops, shop, choose }}>{children}</ShopContext>
}

/** The shops that the user may see, and the one that is chosen in the header. */
export function useShop(): ShopChoice {
  const choice = use(ShopContext)
  if (!choice) throw new Error('there is no shell here')
  return choice
}
