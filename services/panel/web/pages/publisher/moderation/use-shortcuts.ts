import { useEffect } from 'react'

const TYPING = 'input, textarea, select, [contenteditable]'

/** Handles single-key shortcuts once for each press, except while a dialog is open or a field has the focus. */
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
