import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type ApiProblem, isChangedMeanwhile, isNoAnswer } from '../client/problem.ts'
import type { ReadablePath } from '../client/types.ts'
import { t } from '../messages/shell.ts'
import { useIsLeaving } from './use-is-leaving.ts'

/** The part of a Mantine form that useSave needs. */
interface FormOfFields {
  setErrors(errors: Record<string, string>): void
  getValues(): object
  getInputNode(path: string): HTMLElement | null
  resetDirty(values: object | undefined): void
}

export interface SaveOptions<Input, Result> {
  /** Makes the change: `(values) => answer(client.POST('/v1/panel/accounts', { body: values }))`. */
  save: (input: Input) => Promise<Result>
  /** Paths to refetch afterwards: every list and entity whose path begins with one of these. */
  changes: readonly ReadablePath[]
  /** Receives the error messages of its fields. Afterwards the values that it had at the start count as saved. */
  form?: FormOfFields
  /** The notification on success: 'Account saved'. */
  saved?: string
  /** Not called when the user has left the page or closed the dialog meanwhile. */
  onSaved?: (result: Result, input: Input) => void
}

export interface Save<Input, Result> {
  /** Makes the change. Resolves to undefined when it was refused; by then the user has been told. */
  submit: (input: Input) => Promise<Result | undefined>
  isSaving: boolean
  problem: ApiProblem | null
}

/** A change through the API. Reports success and failure, sets the errors of a form, and refetches what has changed. */
export function useSave<Input, Result>(options: SaveOptions<Input, Result>): Save<Input, Result> {
  const queryClient = useQueryClient()
  const isLeaving = useIsLeaving()
  const isShown = useRef((): boolean => false)
  useEffect(() => {
    isShown.current = () => !isLeaving()
    return () => {
      isShown.current = () => false
    }
  }, [isLeaving])
  const changed = options.changes as readonly string[]
  const readAgain = () =>
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [path] }) => changed.some((each) => String(path).startsWith(each)),
    })
  const pressed = useRef<Element | null>(null)
  const mutation = useMutation<Result, ApiProblem, Input, object | undefined>({
    mutationFn: options.save,
    onMutate() {
      pressed.current = document.activeElement
      return options.form?.getValues()
    },
    async onSuccess(result, input, sent) {
      // What the user has typed since then is not saved.
      options.form?.resetDirty(sent)
      if (options.saved) notifications.show({ message: options.saved, color: 'teal' })
      await readAgain()
      if (isShown.current()) options.onSaved?.(result, input)
    },
    async onError(problem) {
      if (isChangedMeanwhile(problem)) void readAgain()
      const errors = problem.fieldErrors()
      options.form?.setErrors(errors)
      const [first] = Object.keys(errors)
      if (first !== undefined && isShown.current()) options.form?.getInputNode(first)?.focus()
      notifications.show({
        title: t('notSaved'),
        message: (await isOfOldPage(problem)) ? t('notSavedOutdated') : reasonOf(problem, options.form),
        color: 'red',
        autoClose: 10_000,
      })
    },
  })
  // A button that is loading is disabled, and so loses the focus.
  useEffect(() => {
    if (mutation.isPending || document.activeElement !== document.body) return
    if (pressed.current instanceof HTMLElement) pressed.current.focus({ preventScroll: true })
  }, [mutation.isPending])
  return {
    submit: (input) => mutation.mutateAsync(input).catch(() => undefined),
    isSaving: mutation.isPending,
    problem: mutation.error,
  }
}

/** Whether the API may have refused the change because the page was loaded before another version was installed. */
async function isOfOldPage({ code }: ApiProblem): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  if (code !== 'INVALID' || !script) return false
  // Names of scripts change with their content. The server still has this one, for pages that load more of it, but its own page does not.
  const { href, pathname } = new URL(script.src)
  const ownPage = await fetch(new URL('..', href), { cache: 'no-store' }).catch(() => null)
  return ownPage?.ok === true && !(await ownPage.text()).includes(pathname)
}

function reasonOf(problem: ApiProblem, form: FormOfFields | undefined): string {
  if (isNoAnswer(problem)) return t('notSavedAway')
  if (problem.code === 'NOT_FOUND') return t('notSavedGone')
  if (isChangedMeanwhile(problem)) return t('notSavedChanged')
  if (!form || problem.errors.length === 0) return problem.message
  return problem.beyond(Object.keys(form.getValues())) || t('checkFields')
}
