import { Anchor, Checkbox, MultiSelect, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { NAME_CHARS_MAX } from '../../../../../../schemas/http/panel/limits.ts'
import type { AdFormat, AdUnit, Placement } from '../../../client/types.ts'
import { FormActions, FormSection } from '../../../components/form/form-section.tsx'
import type { ClashState } from '../../../data/changes/use-change.ts'
import { t } from '../../../messages/pages/shop/placements.ts'
import { AlgorithmGuide } from './algorithm-guide.tsx'
import { algorithmChoices, isDisplay, targetingKinds } from './algorithms.ts'

export type AdUnitValues = Pick<AdUnit, 'name' | 'algorithm' | 'status' | 'adFormatIds' | 'targeting'>

const EMPTY: Omit<AdUnitValues, 'algorithm'> = { name: '', status: 'ACTIVE', adFormatIds: [], targeting: [] }

/** The form of an ad unit, for useSave and the page. @param kind the kind of its placement. */
export function useAdUnitForm(kind: Placement['kind'], unit?: AdUnit) {
  const algorithm = kind === 'DISPLAY' ? 'DISPLAY' : 'CONTEXT_MATCH'
  return useForm<AdUnitValues>({
    initialValues: unit ? valuesOf(unit) : { ...EMPTY, algorithm },
    validate: { name: (name) => (name.trim() === '' ? t('required') : null) },
  })
}

export const valuesOf = ({ name, algorithm, status, adFormatIds, targeting }: AdUnit): AdUnitValues => ({
  name,
  algorithm,
  status,
  adFormatIds,
  targeting,
})

export interface AdUnitFormProps {
  form: ReturnType<typeof useAdUnitForm>
  kind: Placement['kind']
  /** The ad formats of the shop. */
  formats: readonly AdFormat[]
  label: string
  isSaving: boolean
  /** None for a new ad unit. */
  clashes?: ClashState
  cancelTo?: string
  onSubmit: (values: AdUnitValues) => void
  /** The delete button. */
  children?: ReactNode
}

export function AdUnitForm({ form, kind, formats, onSubmit, children, ...actions }: AdUnitFormProps) {
  const { algorithm, status } = form.values
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <FormSection title={t('adUnit')} description={t('unitHelp')}>
        <TextInput label={t('name')} required maxLength={NAME_CHARS_MAX} {...form.getInputProps('name')} />
        <Switch
          label={t('active')}
          description={t('activeHelp')}
          checked={status === 'ACTIVE'}
          onChange={({ currentTarget: { checked } }) => form.setFieldValue('status', checked ? 'ACTIVE' : 'INACTIVE')}
        />
      </FormSection>
      <FormSection title={t('algorithm')} description={t('algorithmHelp')}>
        <Select
          label={t('algorithm')}
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

const noFormats = t.rich('noFormats', {
  link: (text) => (
    <Anchor component={Link} to="/ad-formats/new" inherit underline="always">
      {text}
    </Anchor>
  ),
})

function DisplayFields({ form, formats }: Pick<AdUnitFormProps, 'form' | 'formats'>) {
  const formatError = Object.entries(form.errors).find(([name]) => name.startsWith('adFormatIds'))?.[1]
  return (
    <FormSection title={t('banners')} description={t('bannersHelp')}>
      <MultiSelect
        label={t('adFormats')}
        description={formats.length === 0 ? noFormats : t('adFormatsHelp')}
        placeholder={form.values.adFormatIds.length === 0 ? t('chooseFormats') : ''}
        data={formats.map(({ id, name }) => ({ value: id, label: name }))}
        nothingFoundMessage={t('noSuchFormat')}
        searchable
        clearable
        {...form.getInputProps('adFormatIds')}
        error={formatError}
      />
      <Checkbox.Group label={t('targeting')} description={t('targetingHelp')} {...form.getInputProps('targeting')}>
        <Stack gap="xs" mt="xs">
          {targetingKinds.map(({ value, label, description }) => (
            <Checkbox key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormSection>
  )
}
