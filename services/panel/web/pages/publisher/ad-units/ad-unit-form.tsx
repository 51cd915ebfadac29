import { Checkbox, MultiSelect, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import type { AdFormat, AdUnit, Placement } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'
import { AlgorithmGuide } from './algorithm-guide.tsx'
import { algorithmChoices, isDisplay, targetingKinds } from './algorithms.ts'

export type AdUnitValues = Pick<AdUnit, 'name' | 'algorithm' | 'status' | 'adFormatIds' | 'targeting'>

const EMPTY: Omit<AdUnitValues, 'algorithm'> = { name: '', status: 'ACTIVE', adFormatIds: [], targeting: [] }

/** The form of an ad unit in a placement of a kind, for useSave and the page. */
export function useAdUnitForm(kind: Placement['kind'], unit?: AdUnit) {
  const algorithm = kind === 'DISPLAY' ? 'DISPLAY' : 'CONTEXT_MATCH'
  return useForm<AdUnitValues>({
    initialValues: unit ? valuesOf(unit) : { ...EMPTY, algorithm },
    validate: { name: (name) => (name.trim() === '' ? 'Required' : null) },
  })
}

const valuesOf = ({ name, algorithm, status, adFormatIds, targeting }: AdUnit): AdUnitValues => ({
  name,
  algorithm,
  status,
  adFormatIds,
  targeting,
})

export interface AdUnitFormProps {
  form: ReturnType<typeof useAdUnitForm>
  kind: Placement['kind']
  /** Of the shop. */
  formats: readonly AdFormat[]
  label: string
  isSaving: boolean
  cancelTo?: string
  onSubmit: (values: AdUnitValues) => void
  /** The delete button. */
  children?: ReactNode
}

export function AdUnitForm({ form, kind, formats, onSubmit, children, ...actions }: AdUnitFormProps) {
  const { algorithm, status } = form.values
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection title="Ad unit" description="One box of ads, with rules of its own.">
        <TextInput label="Name" required maxLength={200} {...form.getInputProps('name')} />
        <Switch
          label="Active"
          description="An inactive unit answers ad requests with no ads"
          checked={status === 'ACTIVE'}
          onChange={({ currentTarget: { checked } }) => form.setFieldValue('status', checked ? 'ACTIVE' : 'INACTIVE')}
        />
      </FormSection>
      <FormSection title="Algorithm" description="How ads are chosen, and what the page has to send.">
        <Select
          label="Algorithm"
          data={algorithmChoices(kind)}
          allowDeselect={false}
          maxDropdownHeight={420}
          {...form.getInputProps('algorithm')}
        />
        <AlgorithmGuide algorithm={algorithm} />
      </FormSection>
      {isDisplay(algorithm) && <DisplayFields form={form} formats={formats} />}
      <FormActions {...actions} hasChanges={form.isDirty}>
        {children}
      </FormActions>
    </form>
  )
}

function DisplayFields({ form, formats }: Pick<AdUnitFormProps, 'form' | 'formats'>) {
  const formatError = Object.entries(form.errors).find(([name]) => name.startsWith('adFormatIds'))?.[1]
  return (
    <FormSection title="Banners" description="What fits the box, and which parameters of a request choose among it.">
      <MultiSelect
        label="Ad formats"
        description="Banners in these formats can be shown; without any, none can"
        placeholder={form.values.adFormatIds.length === 0 ? 'Choose formats' : ''}
        data={formats.map(({ id, name }) => ({ value: id, label: name }))}
        nothingFoundMessage="The shop has no such ad format"
        searchable
        clearable
        {...form.getInputProps('adFormatIds')}
        error={formatError}
      />
      <Checkbox.Group
        label="Targeting"
        description="Parameters that are not chosen are ignored; campaigns that target by them are not shown here"
        {...form.getInputProps('targeting')}
      >
        <Stack gap="xs" mt="xs">
          {targetingKinds.map(({ value, label, description }) => (
            <Checkbox key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormSection>
  )
}
