const forms = new Set<() => boolean>()

/** Registers a form, which tells whether it has unsaved changes. @returns a function that unregisters it. */
export function registerForm(hasChanges: () => boolean): () => void {
  forms.add(hasChanges)
  return () => forms.delete(hasChanges)
}

/** Whether reloading the panel would lose what the user has typed. An open dialog counts as unsaved. */
export const hasUnsaved = (): boolean =>
  [...forms].some((hasChanges) => hasChanges()) || document.querySelector('[role="dialog"]') !== null
