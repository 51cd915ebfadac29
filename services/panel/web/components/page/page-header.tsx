import { Anchor, Breadcrumbs, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../../messages/components.ts'
import classes from './page-header.module.css'

export interface PageHeaderProps {
  title: string
  /** A line under the title. */
  description?: ReactNode
  /** The parent pages, from the top. */
  breadcrumbs?: readonly { label: string; to: string }[]
  /** Shown next to the title, such as a StatusBadge. */
  badge?: ReactNode
  /** Buttons, the main one last. */
  actions?: ReactNode
}

/** The header of a page. Also sets the title of the document. */
export function PageHeader({ title, description, breadcrumbs = [], badge, actions }: PageHeaderProps) {
  return (
    <header className={classes.header}>
      <title>{t('documentTitle', { page: title })}</title>
      <div className={classes.texts}>
        {breadcrumbs.length > 0 && (
          <nav aria-label={t('breadcrumbs')}>
            <Breadcrumbs separatorMargin={6} mb={4}>
              {breadcrumbs.map(({ label, to }) => (
                <Anchor key={to} component={Link} to={to} size="sm" c="dimmed">
                  {label}
                </Anchor>
              ))}
            </Breadcrumbs>
          </nav>
        )}
        <Group gap="sm">
          <Title order={1}>{title}</Title>
          {badge}
        </Group>
        {description && (
          <Text c="dimmed" size="sm" mt={2} maw={720}>
            {description}
          </Text>
        )}
      </div>
      {actions && (
        <Group gap="xs" className={classes.actions}>
          {actions}
        </Group>
      )}
    </header>
  )
}
