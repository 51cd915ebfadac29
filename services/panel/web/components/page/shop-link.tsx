import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useShop } from '../../session/shop-context.tsx'

export interface ShopLinkProps extends AnchorProps {
  to: string
  shopId: string
  children: ReactNode
}

/**
 * A link to a page that shows only the shop chosen in the header. The page that it is on may be about something in another shop, so it
 * chooses the shop.
 */
export function ShopLink({ shopId, ...props }: ShopLinkProps) {
  const { choose } = useShop()
  return <Anchor component={Link} onClick={() => choose(shopId)} {...props} />
}
