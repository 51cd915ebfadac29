import type { UseFormReturnType } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ifMatch } from '../../client/client.ts'
import { type ChangedBy, isChangedMeanwhile } from '../../client/problem.ts'
import type { ReadablePath } from '../../client/types.ts'
import { entityQuery } from '../use-entity.ts'
import { type Save, type SaveOptions, useSave } from '../use-save.ts'
import { changedFields } from './changed-fields.ts'
import { type Following, type FollowOptions, useFollow } from './use-follow.ts'

/** Paths that answer one entity. */
type EntityPath = Extract<ReadablePath, `${string}/{id}` | `${string}/{id}/synonyms`>

interface Versioned {
  id: string
  version: number
}

/** A change as it is sent. */
export interface Sent<Values> {
  before: Values
  after: Values
  /** The fields of `after` that differ. */
  changed: Partial<Values>
  header: ReturnType<typeof ifMatch>
}

export interface ChangeOptions<E extends Versioned, Values extends object, Result>
  extends Pick<FollowOptions<Values>, 'mergeField'>,
    Omit<SaveOptions<void, Result>, 'save' | 'form'> {
  form: UseFormReturnType<Values>
  /** Where the entity is read again. */
  path: EntityPath
  /** The entity as the page has read it. */
  entity: E
  valuesOf: (entity: E) => Values
  /** Sends what has changed: `client.PATCH(path, { params: { path: { id }, header }, body: changed })`. */
  send: (change: Sent<Values>) => Promise<Result>
  /** Receives the errors of fields in place of the form. */
  setErrors?: (errors: Record<string, string>) => void
}

/** What a form shows of the fields that others have changed, too. */
export interface ClashState extends Pick<Following<object>, 'clashes' | 'choose'> {
  /** Who has changed them last; null when that is not known. */
  changedBy: ChangedBy | null
  /** How often saving was refused because the user had not chosen. */
  refusals: number
}

export interface Change extends ClashState, Pick<Save<void, unknown>, 'isSaving' | 'problem'> {
  /** Saves the form. */
  submit: () => Promise<void>
}

/**
 * The form of an entity that several people may change at the same time. It is saved only to the version that it shows. If others have
 * saved another one, their fields are taken over, and it is saved with these, unless both have changed the same field: then the user
 * chooses first.
 */
export function useChange<E extends Versioned, Values extends object, Result>(
  options: ChangeOptions<E, Values, Result>,
): Change {
  const { form, path, entity, valuesOf, send, setErrors = form.setErrors, mergeField, ...save } = options
  const queryClient = useQueryClient()
  const [refusals, setRefusals] = useState(0)
  const [changedBy, setChangedBy] = useState<ChangedBy | null>(null)
  const readOf = (of: E) => ({ version: of.version, values: valuesOf(of) })
  const { clashes, choose, version, follow, settle } = useFollow({
    ...{ form, read: readOf(entity) },
    ...(mergeField && { mergeField }),
  })
  const sent = useRef(form.getValues())

  function sendTo(version: number) {
    sent.current = form.getValues()
    const [before, after] = [form.getInitialValues(), sent.current]
    return send({ before, after, changed: changedFields(before, after), header: ifMatch(version) })
  }
  async function sendMerged(): Promise<Result> {
    try {
      return await sendTo(version())
    } catch (problem) {
      if (!isChangedMeanwhile(problem)) throw problem
      setChangedBy(problem.changedBy)
      const query = entityQuery(path, { path: { id: entity.id } })
      const latest = (await queryClient.fetchQuery({ ...query, staleTime: 0 })) as object as E
      if (follow(readOf(latest))) return await sendTo(latest.version)
      setRefusals((count) => count + 1)
      throw problem
    }
  }
  const { submit, isSaving, problem } = useSave({
    ...save,
    save: sendMerged,
    form: {
      ...form,
      setErrors,
      resetDirty() {
        form.resetDirty(sent.current)
        settle()
      },
    },
  })
  return {
    clashes,
    choose,
    changedBy,
    refusals,
    isSaving,
    problem,
    async submit() {
      if (clashes.some(({ kept }) => kept === null)) setRefusals((count) => count + 1)
      else await submit()
    },
  }
}
