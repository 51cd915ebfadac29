import { useCallback, useEffect, useRef, useState } from 'react'
import { answerWith, type Question } from '../client/questions.ts'

export interface AskedQuestion {
  isOpen: boolean
  /** Closes the dialog. `mayRepeat`: the requests that wait for the answer are repeated. */
  finish: (mayRepeat: boolean) => void
}

/** What Escape does in the open dialogs, the topmost last. */
const escapes: (() => void)[] = []

// Registered before the listeners of dialogs below: Escape would close them as well, and lose what was typed.
addEventListener(
  'keydown',
  (event) => {
    const close = escapes.at(-1)
    if (event.key !== 'Escape' || !close) return
    event.stopImmediatePropagation()
    close()
  },
  { capture: true },
)

/**
 * Opens a dialog when the API demands something of the user. One dialog serves all waiting requests. `isOptional`: Escape closes
 * the dialog, and the requests fail.
 */
export function useQuestion(question: Question, isOptional: boolean): AskedQuestion {
  const [isOpen, setOpen] = useState(false)
  const waiting = useRef<((mayRepeat: boolean) => void)[]>([])
  useEffect(
    () =>
      answerWith(question, () => {
        setOpen(true)
        return new Promise((resolve) => waiting.current.push(resolve))
      }),
    [question],
  )
  const finish = useCallback((mayRepeat: boolean) => {
    setOpen(false)
    for (const resolve of waiting.current.splice(0)) resolve(mayRepeat)
  }, [])
  useEffect(() => {
    if (!isOpen) return
    const close = () => {
      if (isOptional) finish(false)
    }
    escapes.push(close)
    return () => void escapes.splice(escapes.indexOf(close), 1)
  }, [isOpen, isOptional, finish])
  return { isOpen, finish }
}
