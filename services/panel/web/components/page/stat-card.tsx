import { Paper, Skeleton, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../../messages/shell.ts'
import classes from './stat-card.module.css'

export interface StatCardProps {
  label: string
  /** Undefined while it is loading. */
  value: ReactNode | undefined
  /** Why the value could not be read. It is shown in place of the hint while there is no value. */
  problem?: Error | null
  /** A line below the number. */
  hint?: ReactNode
  /** A page with the details. */
  to?: string
}

/** One number of a home page. */
export function StatCard({ label, value, problem = null, hint, to }: StatCardProps) {
  const hasFailed = value === undefined && problem !== null
  const content = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className={classes.value} aria-busy={value === undefined && !hasFailed}>
        {hasFailed ? '–' : value === undefined ? <Skeleton height={24} width={90} /> : value}
      </div>
      <Text size="xs" c={hasFailed ? 'var(--mantine-color-error)' : 'dimmed'} className={classes.hint}>
        {hasFailed ? t('notLoaded') : hint}
      </Text>
    </>
  )
  return (
    <Paper withBorder className={classes.card}>
      {to === undefined ? (
        <div className={classes.inner}>{content}</div>
      ) : (
        <UnstyledButton component={Link} to={to} className={classes.inner} data-linked>
          {content}
        </UnstyledButton>
      )}
    </Paper>
  )
}
