import { useEffect } from 'react'

/** A field that takes letters, or a list that is open. A closed list keeps the focus, too, but takes none. */
const TYPING = 'input:not([readonly]), input[aria-expanded=true], textarea, select, [contenteditable]'

/** Handles single-key shortcuts once for each press, except while a dialog is open or somebody types. */
export function useShortcuts(actions: Readonly<Record<string, () => void>>, isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      const isTyping = event.target instanceof Element && event.target.closest(TYPING) !== null
      if (isTyping || document.querySelector('[role="dialog"]')) return
      const action = actions[event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [actions, isOn])
}
