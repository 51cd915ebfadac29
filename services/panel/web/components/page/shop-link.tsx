import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useShop } from '../../session/shop-context.tsx'

export interface ShopLinkProps extends AnchorProps {
  to: string
  /** Undefined when the page that it leads to is about no shop. */
  shopId: string | undefined
  children: ReactNode
}

/**
 * A link to a page that shows only the shop chosen in the header. The page that it is on may be about something in another shop, so it
 * chooses the shop.
 */
export function ShopLink({ shopId, ...props }: ShopLinkProps) {
  const { choose } = useShop()
  const chooseShop = () => shopId !== undefined && choose(shopId)
  // A click of the middle button opens a tab, which begins with the shop chosen last.
  return <Anchor component={Link} onClick={chooseShop} onAuxClick={chooseShop} {...props} />
}
