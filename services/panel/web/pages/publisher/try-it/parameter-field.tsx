import { MultiSelect, NumberInput, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { AdFormat } from '../../../client/types.ts'
import { type ParameterName, parameters } from '../ad-units/algorithms.ts'
import type { TryValues } from './ad-request.ts'

export interface ParameterFieldProps {
  name: ParameterName
  form: UseFormReturnType<TryValues>
  formats: readonly AdFormat[]
  required?: boolean
}

const hints: Partial<Record<ParameterName, string>> = {
  shopProductId: 'Its id in the feed',
  productId: 'Its id in the feed, or its product_id',
  productIds: 'Ids in the feed, or product_ids; Enter after each',
  categoryPaths: 'Whole paths: Kitchen > Coffee; Enter after each',
  categoryIds: 'Parts of paths, in order; Enter after each',
  attributes: 'name=value; Enter after each',
  country: 'Two letters: DE',
  lang: 'Two letters: de',
  referer: 'A path; patterns with a host do not fit from here',
}

/** The field for one parameter of an ad request. */
export function ParameterField({ name, form, formats, required = false }: ParameterFieldProps) {
  const { label, input, example } = parameters[name]
  const field = form.getInputProps(`values.${name}`)
  const shared = { label, description: hints[name], required }
  if (name === 'adFormatIds') {
    return <MultiSelect {...shared} data={formats.map((each) => ({ value: each.id, label: each.name }))} {...field} />
  }
  if (input === 'number') return <NumberInput {...shared} min={0} hideControls {...field} />
  if (input === 'text') return <TextInput {...shared} placeholder={String(example)} {...field} />
  return <TagsInput {...shared} splitChars={['\n', '|']} acceptValueOnBlur {...field} />
}
