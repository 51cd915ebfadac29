import { Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export interface PanelCardProps {
  title: string
  description?: ReactNode
  /** Shown at the end of the title's line. */
  actions?: ReactNode
  children: ReactNode
}

/** A titled part of a page. */
export function PanelCard({ title, description, actions, children }: PanelCardProps) {
  return (
    <Paper
      component="section"
      withBorder
      p="md"
      bg="var(--panel-surface)"
      style={{ borderColor: 'var(--panel-border)' }}
    >
      <Group justify="space-between" mb="sm" gap="xs">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Title order={2}>{title}</Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </Paper>
  )
}
