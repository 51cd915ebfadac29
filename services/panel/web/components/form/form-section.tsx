import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import classes from './form-section.module.css'
import { UnsavedGuard } from './unsaved-guard.tsx'

export interface FormSectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

/** Fields that belong together: what they are about at the left, the fields at the right; one below the other on a phone. */
export function FormSection({ title, description, children }: FormSectionProps) {
  return (
    <fieldset className={classes.section}>
      <legend className={classes.legend}>{title}</legend>
      <div className={classes.about}>
        <Text fw={600} aria-hidden>
          {title}
        </Text>
        {description && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
      </div>
      <Stack gap="md" className={classes.fields}>
        {children}
      </Stack>
    </fieldset>
  )
}

export interface FormActionsProps {
  /** 'Save' without it. */
  label?: string
  isSaving: boolean
  /** Whether something would be lost: then leaving the page is asked about. */
  hasChanges: () => boolean
  /** Where Cancel leads; without it, there is none. */
  cancelTo?: string
  /** At the start of the line: a button that deletes. */
  children?: ReactNode
}

/** The buttons below a form that has a page to itself. */
export function FormActions({ label = 'Save', isSaving, hasChanges, cancelTo, children }: FormActionsProps) {
  return (
    <Group className={classes.actions} justify="space-between">
      <UnsavedGuard hasChanges={hasChanges} />
      <div>{children}</div>
      <Group gap="xs">
        {cancelTo !== undefined && (
          <Button component={Link} to={cancelTo} variant="default">
            Cancel
          </Button>
        )}
        <Button type="submit" loading={isSaving}>
          {label}
        </Button>
      </Group>
    </Group>
  )
}
