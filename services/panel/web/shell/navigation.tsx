import { NavLink, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { navGroups, type PageEntry, pagesOf } from '../pages.ts'
import { useSession } from '../session/session.ts'
import classes from './navigation.module.css'

/** The pages of the signed-in user's role, by group. */
export function Navigation() {
  const { role } = useSession().user
  const pages = pagesOf(role).filter(({ nav }) => nav)
  const groups = navGroups.map((name) => ({ name, pages: pages.filter(({ nav }) => nav?.group === name) }))
  return (
    <nav aria-label="Pages">
      {groups
        .filter((group) => group.pages.length > 0)
        .map((group) => (
          <section key={group.name} className={classes.group} aria-labelledby={`nav-${group.name}`}>
            <Text
              id={`nav-${group.name}`}
              className={classes.title}
              component="h2"
              data-hidden={group.name === 'Overview'}
            >
              {group.name}
            </Text>
            {group.pages.map((page) => (
              <PageLink key={page.path} page={page} />
            ))}
          </section>
        ))}
    </nav>
  )
}

function PageLink({ page }: { page: PageEntry }) {
  const { pathname } = useLocation()
  const to = `/${page.path}`
  const isHere = page.path === '' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
  const { label, icon: Icon } = page.nav!
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      className={classes.link}
    />
  )
}
