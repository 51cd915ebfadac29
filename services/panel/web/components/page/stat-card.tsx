import { Paper, Skeleton, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import classes from './stat-card.module.css'

export interface StatCardProps {
  label: string
  /** Undefined while it is loading. */
  value: ReactNode | undefined
  /** A line below the number. */
  hint?: ReactNode
  /** A page with the details. */
  to?: string
}

/** One number of a home page. */
export function StatCard({ label, value, hint, to }: StatCardProps) {
  const content = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className={classes.value}>{value === undefined ? <Skeleton height={24} width={90} /> : value}</div>
      <Text size="xs" c="dimmed" className={classes.hint}>
        {hint}
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
