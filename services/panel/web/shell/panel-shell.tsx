import { AppShell, Burger, Group, Select, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { Link, Outlet, ScrollRestoration, useLocation } from 'react-router'
import { Logo } from '../components/page/logo.tsx'
import { useConnection } from '../data/use-connection.ts'
import { t } from '../messages/shell.ts'
import { useSession } from '../session/session.ts'
import { ShopProvider, useShop } from '../session/shop-context.tsx'
import { BANNER_HEIGHT, ConnectionBanner } from './connection-banner.tsx'
import { Navigation } from './navigation.tsx'
import classes from './shell.module.css'
import { useShownPage } from './use-shown-page.ts'
import { UserMenu } from './user-menu.tsx'

/** Pixels. */
const BAR_HEIGHT = 52
const withBanner = { base: BAR_HEIGHT + BANNER_HEIGHT.base, sm: BAR_HEIGHT + BANNER_HEIGHT.sm }

/** The frame around every page: header, navigation (a drawer on a phone) and the page itself. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure()
  const main = useRef<HTMLElement>(null)
  const { isAway } = useConnection()
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  // Move the focus to the new page, so that keyboards and screen readers do not continue from the old link.
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    close()
    main.current?.focus({ preventScroll: true })
  }, [pathname, close])

  return (
    <ShopProvider>
      <a className="skip-link" href="#main">
        {t('skipToPage')}
      </a>
      <AppShell
        header={{ height: isAway ? withBanner : BAR_HEIGHT }}
        navbar={{ width: 228, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
        padding={{ base: 'md', sm: 'lg' }}
      >
        <AppShell.Header className={classes.header}>
          <ConnectionBanner />
          <div className={classes.bar} style={{ height: BAR_HEIGHT }}>
            <Group gap="sm" wrap="nowrap">
              <Burger
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="md"
                size="sm"
                aria-label={t('navigation')}
                aria-expanded={isOpen}
              />
              <Link to="/" className={classes.brand}>
                <Logo />
                <Text component="span" fw={650} size="md" visibleFrom="xs">
                  {t('endcap')}
                </Text>
              </Link>
            </Group>
            <Group gap="xs" wrap="nowrap" className={classes.tools}>
              <ShopSwitcher />
              <UserMenu />
            </Group>
          </div>
        </AppShell.Header>
        <AppShell.Navbar className={classes.navbar} p="xs" aria-label={t('pages')}>
          <Navigation />
        </AppShell.Navbar>
        <AppShell.Main id="main" ref={main} tabIndex={-1}>
          <div className={classes.page}>
            <Outlet />
          </div>
        </AppShell.Main>
      </AppShell>
      <ScrollRestoration />
    </ShopProvider>
  )
}

const SEARCH_FROM = 8

/** Chooses the shop that the page shows. Absent on pages about all shops, or about one thing in a shop. */
function ShopSwitcher() {
  const { role } = useSession().user
  const { shops, shop, choose } = useShop()
  const isOfShop = useShownPage()?.ofShop?.includes(role) ?? false
  if (!isOfShop || !shops || !shop) return null
  if (shops.length === 1) {
    return (
      <Text size="sm" fw={500} truncate maw={200}>
        {shop.name}
      </Text>
    )
  }
  return (
    <Select
      aria-label={t('shopChooser')}
      size="xs"
      w={190}
      allowDeselect={false}
      searchable={shops.length >= SEARCH_FROM}
      value={shop.id}
      onChange={(id) => id && choose(id)}
      data={shops.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
