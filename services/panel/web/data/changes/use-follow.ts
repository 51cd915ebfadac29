import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { type Clash, mergedFields, type Versions } from './merge.ts'

type FollowingForm<Values> = Pick<
  UseFormReturnType<Values>,
  'getInitialValues' | 'getValues' | 'setValues' | 'setFieldValue' | 'resetDirty'
>

/** What a form shows of an entity. */
export interface Read<Values> {
  version: number
  values: Values
}

/** A clash, and whose value the user has chosen; null until then. */
export interface OpenClash extends Clash {
  kept: 'own' | 'others' | null
}

export interface Following<Values> {
  /** The version that the form shows. */
  version: () => number
  clashes: readonly OpenClash[]
  /** Puts one of the two values into the field. */
  choose: (clash: Clash, kept: 'own' | 'others') => void
  /** Ends all clashes: what was chosen is saved. */
  settle: () => void
  /** Merges a newer version into the form. @returns whether nothing that was changed here has been changed by others as well. */
  follow: (newer: Read<Values>) => boolean
}

export interface FollowOptions<Values> {
  form: FollowingForm<Values>
  /** The newest version that the page has read. */
  read: Read<Values>
  /** Merges what both have changed in a field. Without it, the user has to choose. */
  mergeField?: (versions: Versions<string>) => string
}

/** Updates a form when others have changed what it shows. The fields that the user has changed keep what was typed. */
export function useFollow<Values extends object>({ form, read, mergeField }: FollowOptions<Values>): Following<Values> {
  const followed = useRef(read)
  const [clashes, setClashes] = useState<readonly OpenClash[]>([])

  function follow(newer: Read<Values>): boolean {
    const before = followed.current
    if (newer.version < before.version || JSON.stringify(newer) === JSON.stringify(before)) return true
    followed.current = newer
    const base = form.getInitialValues()
    const { values, clashes: found } = mergedFields({ base, own: form.getValues(), others: newer.values })
    form.resetDirty(newer.values)
    form.setValues(values)
    for (const { field, own, others } of mergeField ? found : []) {
      const versions = { base: base[field as keyof Values], own, others } as Versions<string>
      form.setFieldValue(field, mergeField!(versions) as never)
    }
    const opened = found.map((clash): OpenClash => ({ ...clash, kept: mergeField ? 'own' : null }))
    setClashes((open) => [...open.filter(({ field }) => found.every((clash) => clash.field !== field)), ...opened])
    return found.length === 0
  }

  useEffect(() => {
    follow(read)
  })

  return {
    version: () => followed.current.version,
    clashes,
    follow,
    settle: () => setClashes([]),
    choose({ field, ...values }, kept) {
      form.setFieldValue(field, values[kept] as never)
      setClashes((open) => open.map((clash) => (clash.field === field ? { ...clash, kept } : clash)))
    },
  }
}
