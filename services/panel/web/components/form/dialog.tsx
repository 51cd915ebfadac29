import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useMemo } from 'react'

/**
 * A dialog over the page. When it closes, the focus returns to what opened it, or goes to the page if that is gone. Mantine does so
 * only for a dialog that stays mounted while it is closed.
 */
export function Dialog(props: ModalProps) {
  const { opened } = props
  // Read before the commit, in which a menu without motion removes the item that was pressed.
  const opener = useMemo(() => (opened ? openerOf(document.activeElement) : null), [opened])
  useEffect(() => {
    if (!opened) return
    return () => {
      opener?.focus({ preventScroll: true })
      if (document.activeElement !== opener) focusPage()
    }
  }, [opened, opener])
  // A confirmed deletion closes the dialog first, and then removes the button that opened it together with its row.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusPage()
    },
    [],
  )
  return <Modal {...props} returnFocus={false} />
}

const focusPage = () => document.querySelector('main')?.focus({ preventScroll: true })

/** The focused element; for an item of a menu, which closes as the dialog opens, the button that the menu is named by. */
function openerOf(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role="menu"]')
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused
  return opener instanceof HTMLElement ? opener : null
}
