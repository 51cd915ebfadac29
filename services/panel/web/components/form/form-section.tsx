import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ClashState } from '../../data/changes/use-change.ts'
import { t } from '../../messages/fields.ts'
import { Clashes } from './clashes/clashes.tsx'
import classes from './form-section.module.css'
import { UnsavedGuard } from './unsaved-guard.tsx'

export interface FormSectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

/** A group of fields: the description on the left, the fields on the right; stacked on a phone. */
export function FormSection({ title, description, children }: FormSectionProps) {
  return (
    <fieldset className={classes.section}>
      <legend className={classes.legend}>{title}</legend>
      <div>
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
  /** Default: 'Save'. */
  label?: string
  isSaving: boolean
  /** Whether the form has unsaved changes; leaving the page then needs a confirmation. */
  hasChanges: () => boolean
  /** What others have changed at the same time. None for something new. */
  clashes?: ClashState | undefined
  /** Where the Cancel button leads. Without it there is no such button. */
  cancelTo?: string
  /** Shown at the start of the line, such as a delete button. */
  children?: ReactNode
}

/** The buttons below a form that fills a page. */
export function FormActions({
  label = t('save'),
  isSaving,
  hasChanges,
  clashes,
  cancelTo,
  children,
}: FormActionsProps) {
  return (
    <>
      {clashes && <Clashes {...clashes} />}
      <UnsavedGuard hasChanges={hasChanges} />
      <div className={classes.bar}>
        <div>{children}</div>
        <Group gap="xs" className={classes.save}>
          {cancelTo !== undefined && (
            <Button component={Link} to={cancelTo} variant="default">
              {t('cancel')}
            </Button>
          )}
          <Button type="submit" loading={isSaving}>
            {label}
          </Button>
        </Group>
      </div>
    </>
  )
}

/** A bar of buttons that stays in sight at the bottom of the page. */
export function StickyActions({ children }: { children: ReactNode }) {
  return (
    <Group className={classes.actions} justify="space-between">
      {children}
    </Group>
  )
}
