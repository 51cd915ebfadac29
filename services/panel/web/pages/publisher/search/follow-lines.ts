import { useEffect, useRef, useState } from 'react'

/** A text of lines that several people may change at the same time. */
export interface LinesValues {
  text: string
}

/** The part of a Mantine form that useFollowLines needs. */
interface FormOfLines {
  getInitialValues(): LinesValues
  getValues(): LinesValues
  setValues(values: LinesValues): void
  resetDirty(values: LinesValues): void
  isDirty(): boolean
}

/**
 * Puts what others have saved into the form, line by line, as `useFollow` does field by field.
 * @returns whether the form holds lines of others next to changes that are not saved yet.
 */
export function useFollowLines(form: FormOfLines, saved: string): boolean {
  const followed = useRef(saved)
  const [isMerged, setMerged] = useState(false)
  useEffect(() => {
    if (isMerged && !form.isDirty()) setMerged(false)
    if (followed.current === saved) return
    followed.current = saved
    const base = form.getInitialValues().text
    // This page has saved it itself.
    if (saved === base) return
    const text = mergedLines({ base, own: form.getValues().text, others: saved })
    setMerged(form.isDirty())
    form.resetDirty({ text: saved })
    form.setValues({ text })
  })
  return isMerged
}

interface Versions {
  /** The text that both changed. */
  base: string
  /** As it was changed on this page. */
  own: string
  /** As others have saved it. */
  others: string
}

/** The lines of others, without those that were removed here, and with those that were added here at the end. */
export function mergedLines({ base, own, others }: Versions): string {
  if (own === base) return others
  const [before, mine] = [base.split('\n'), own.split('\n')]
  const kept = others.split('\n').filter((line) => mine.includes(line) || !before.includes(line))
  const added = mine.filter((line) => line !== '' && !before.includes(line) && !kept.includes(line))
  return [...kept, ...added].join('\n')
}
