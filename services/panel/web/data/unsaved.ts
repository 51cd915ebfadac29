const forms = new Set<() => boolean>()

/** A form tells whether it has changes that are not saved. @returns a function that takes the form out. */
export function registerForm(hasChanges: () => boolean): () => void {
  forms.add(hasChanges)
  return () => forms.delete(hasChanges)
}

/** Whether loading the panel again would lose what the user has typed. An open dialog counts as such. */
export const hasUnsaved = (): boolean =>
  [...forms].some((hasChanges) => hasChanges()) || document.querySelector('[role="dialog"]') !== null
