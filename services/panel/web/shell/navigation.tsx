import { NavLink, Select, Text } from '@mantine/core'
import { Link } from 'react-router'
import { baseOf } from '../client/account-address.ts'
import { t } from '../messages/shell.ts'
import { navGroups, type PageEntry, pagesOf } from '../pages.ts'
import { useLastAccount } from '../session/last-account.ts'
import { useSession } from '../session/session.ts'
import classes from './navigation.module.css'
import { useShownPage } from './use-shown-page.ts'

/** The account, and the pages of the signed-in user's role, by group. */
export function Navigation() {
  const { role } = useSession().user
  const entries = pagesOf(role).flatMap(({ path, nav }) => ('group' in nav ? [{ path, ...nav }] : []))
  const groups = navGroups.map((group) => ({ group, pages: entries.filter((entry) => entry.group === group) }))
  return (
    <>
      <AccountSwitcher />
      {groups
        .filter(({ pages }) => pages.length > 0)
        .map(({ group, pages }) => (
          <section key={group} className={classes.group} aria-labelledby={idOf(group)}>
            <Text id={idOf(group)} className={classes.title} component="h2" data-hidden={group === 'overview'}>
              {t(`${group}Group`)}
            </Text>
            {pages.map((page) => (
              <PageLink key={page.path} {...page} />
            ))}
          </section>
        ))}
    </>
  )
}

const idOf = (group: string) => `nav-${group}`

type PageLinkProps = Pick<PageEntry, 'path'> & Extract<PageEntry['nav'], { group: unknown }>

function PageLink({ path, label, icon: Icon }: PageLinkProps) {
  const shown = useShownPage()
  const isHere = shown?.path === path
  const isAbove = shown !== null && 'under' in shown.nav && shown.nav.under === path
  return (
    <NavLink
      component={Link}
      to={`/${path}`}
      label={label}
      active={isHere || isAbove}
      aria-current={isHere ? 'page' : isAbove ? 'true' : undefined}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      className={classes.link}
    />
  )
}

const SEARCH_FROM = 8

/** Shows the account of this tab and opens another one. Absent for a login with one account. */
function AccountSwitcher() {
  const { accounts, account } = useSession()
  useLastAccount()
  if (accounts.length < 2) return null
  const choices = accounts.map(({ id, name }) => ({ value: id, label: name ?? t('operator') }))
  return (
    <Select
      className={classes.accounts}
      label={t('account')}
      allowDeselect={false}
      searchable={accounts.length >= SEARCH_FROM}
      value={account?.id ?? accounts.find(({ name }) => name === null)!.id}
      // A form with unsaved changes asks first.
      onChange={(id) => id && location.assign(`${baseOf(id)}/`)}
      data={choices.sort((a, b) => a.label.localeCompare(b.label))}
    />
  )
}
