import { type ComboboxRenderPillInput, type CSSVariablesResolver, createTheme, Pill } from '@mantine/core'
import type { MouseEvent } from 'react'
import { t as fields } from './messages/fields.ts'
import { t } from './messages/shell.ts'

/** Mantine's close button has no accessible name by default. */
const closeButtonProps = { 'aria-label': t('close') }

/** Makes the list itself scroll, because keyboards cannot reach a scroll area around it. */
const listOfOptions = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 250, overflowY: 'auto' } },
} as const

const listOfPills = { ...listOfOptions, defaultProps: { ...listOfOptions.defaultProps, renderPill: removablePill } }

/** Calm and dense: one accent colour, small radii, system fonts. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: {
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // The default title colour has a contrast below 4.5.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    Modal: { defaultProps: { closeButtonProps } },
    // As a header element, it would be a second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Drawer: { defaultProps: { closeButtonProps } },
    Notification: { defaultProps: { closeButtonProps } },
    // Otherwise the first key press after opening a menu only leads to its first item.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Select: listOfOptions,
    MultiSelect: listOfPills,
    Autocomplete: listOfOptions,
    TagsInput: listOfPills,
    // An image without a name says nothing to those who cannot see it.
    ComboboxChevron: { defaultProps: { 'aria-hidden': true } },
  },
})

/** White text on these colours has a contrast above 4.5 in both schemes. */
const redButton = {
  '--mantine-color-red-filled': 'var(--mantine-color-red-9)',
  '--mantine-color-red-filled-hover': '#a61e1e',
}

/** Replaces colours of Mantine whose contrast is below 4.5, or that lose their hue. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...redButton,
    '--mantine-color-dimmed': '#5c6370',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-disabled-color': '#495057',
  },
  dark: {
    ...redButton,
    '--mantine-color-dimmed': '#a3a8b3',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-4)',
    '--mantine-color-disabled-color': '#b8bcc4',
  },
})

/** A chosen value in a field of several, whose button a keyboard reaches: Mantine's own removes only the last one by Backspace. */
function removablePill({ option, value, onRemove, disabled, reorderProps }: ComboboxRenderPillInput<string>) {
  const label = option?.label ?? value ?? ''
  return (
    <Pill
      withRemoveButton={!disabled}
      disabled={disabled ?? false}
      onRemove={onRemove}
      removeButtonProps={{
        tabIndex: 0,
        'aria-hidden': false,
        'aria-label': fields('removeChosen', { label }),
        onClick: toField,
      }}
      {...reorderProps}
    >
      {label}
    </Pill>
  )
}

/** Once the pill is gone, its field has the focus. */
function toField({ currentTarget }: MouseEvent<HTMLButtonElement>) {
  currentTarget.parentElement?.parentElement?.querySelector('input')?.focus()
}
