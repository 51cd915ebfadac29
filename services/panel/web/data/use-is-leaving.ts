import { useLocation, useNavigation } from 'react-router'

/** True while another page is on its way. Whoever changes the address then, would keep the user on this one. */
export function useIsLeaving(): boolean {
  const { location } = useNavigation()
  const { pathname } = useLocation()
  return location !== undefined && location.pathname !== pathname
}
