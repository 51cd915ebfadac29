import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { changedFields } from './changed-fields.ts'

type FollowingForm<Values> = Pick<
  UseFormReturnType<Values>,
  'getInitialValues' | 'getValues' | 'setValues' | 'resetDirty'
>

/** Updates a form when others have changed what it shows. The fields that the user has changed keep what was typed. */
export function useFollow<Values extends object>(form: FollowingForm<NoInfer<Values>>, read: Values): void {
  const latest = JSON.stringify(read)
  const followed = useRef(latest)
  useEffect(() => {
    if (followed.current === latest) return
    followed.current = latest
    const typed = changedFields(form.getInitialValues(), form.getValues())
    form.resetDirty(read)
    form.setValues({ ...read, ...typed })
  })
}
